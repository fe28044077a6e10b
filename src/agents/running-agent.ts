import type { HallFailure } from "../acp/errors.ts";
import type { Transport } from "../wire/transport.ts";
import type { Exit, Graces } from "./process.ts";
import type { ToolsSnapshot } from "./tools.ts";

/**
 * An agent that runs, as a hall holds it: a way to speak ACP with it, and the means to end it. Either one process
 * that speaks ACP itself, or an adapter with the programs behind it.
 */
export interface RunningAgent {
  /** Speaks ACP. To be started at once: what nobody reads is lost when the agent ends. */
  readonly transport: Transport;
  /** Of its process, or of the latest of its processes; undefined as long as it has none. */
  readonly number: number | undefined;
  readonly mark: string | undefined;
  readonly pid: number | undefined;
  /** How it ended; undefined while it runs. */
  readonly exit: Exit | undefined;
  /** Why it ended, where an exit code would not say it. */
  readonly failure?: HallFailure | undefined;
  /** It was told to end, or sent a signal, before it did. */
  readonly asked: boolean;
  /** Whether it runs, as the system knows it: sooner than its exit is told. */
  readonly isAlive: boolean;
  /** The last lines of its stderr, oldest first. */
  stderrTail(lines?: number): string[];
  /** Calls `ring` once: when it has ended and all that it said was delivered; at once if that is so. */
  onExit(ring: (exit: Exit) => void): void;
  /** SIGINT. */
  interrupt(): void;
  /** SIGTERM. */
  terminate(): void;
  /** SIGKILL to all that came of it. Resolves as `stop` does. */
  kill(): Promise<void>;
  /** Ends it in good order, then by force. Resolves when nothing of it is left. */
  stop(graces?: Graces): Promise<void>;
  /** What of it runs now: `endToolsSince` leaves it alone. Undefined when that cannot be told. */
  toolsSnapshot(): ToolsSnapshot | undefined;
  /** Ends what a cancelled turn left running in sessions of its own. */
  endToolsSince(snapshot: ToolsSnapshot | undefined): Promise<void>;
}
