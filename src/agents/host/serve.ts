import { dirname } from "node:path";
import { systemClock } from "../../ground/clock.ts";
import { realDisk } from "../../ground/disk.ts";
import { builtFile } from "../../ground/package-root.ts";
import { version } from "../../ground/version.ts";
import { StreamTransport } from "../../wire/streams.ts";
import { watchForLoops } from "./busy-watch.ts";
import { Host } from "./host.ts";
import { lastingMemory, shortMemory } from "./memory.ts";
import { agentFailure } from "./module-failure.ts";
import { importAgent } from "./module-file.ts";
import { lendOwnPackages } from "./own-packages.ts";
import { ToldSessions } from "./told/told-sessions.ts";
import { TurnCancelled } from "./turn-cancelled.ts";

export interface ServedModule {
  /** Absolute. */
  file: string;
  /** What it finds in `process.argv`, as if it had been started itself. */
  args: readonly string[];
  /** Where its sessions keep what they remember; undefined: as long as this process. */
  state: string | undefined;
  /** What is said is kept there too, so that a client lists and loads sessions. A hall does that itself. */
  isAlone?: boolean;
  /** Bytes of the longest line. */
  lineLimit: number;
}

/** What a module may import from this package. */
const entries = (): Record<string, string> => ({
  "acp-hall/agent": builtFile("agents", "host", "define.js"),
  "acp-hall/graph": builtFile("agents", "host", "graph.js"),
  "acp-hall/ai": builtFile("agents", "host", "ai.js"),
});

/** Gives this process to a module: an agent on stdin and stdout, until stdin ends. */
export function serveModule({ file, args, state, isAlone = false, lineLimit }: ServedModule): void {
  const transport = new StreamTransport(process.stdin, process.stdout);
  // Stdout is the client's: what a module prints goes to stderr.
  Object.defineProperty(process, "stdout", { configurable: true, get: () => process.stderr });
  process.argv = [process.argv[0] ?? "", file, ...args];
  lendOwnPackages(file, entries());
  watchForLoops(dirname(file));
  const notice = (what: string): void => void process.stderr.write(`${what}\n`);
  const host = new Host(transport, {
    agent: importAgent(file),
    memory: state === undefined ? shortMemory() : lastingMemory(state, realDisk),
    told:
      state !== undefined && isAlone
        ? new ToldSessions(state, { disk: realDisk, clock: systemClock, notice })
        : undefined,
    clock: systemClock,
    version: version(),
    lineLimit,
    folder: dirname(file),
    notice,
    // A module may have timers and sockets of its own; nobody talks to it any more.
    ended: () => process.exit(0),
  });
  const crash = (error: unknown): void => {
    // Work that nobody waited for, given up with its turn: no defect.
    if (error instanceof TurnCancelled) return;
    // What is said last is what the client is shown.
    notice(error instanceof Error ? (error.stack ?? "") : "");
    notice(agentFailure(error, dirname(file)).message);
    process.exit(1);
  };
  process.on("uncaughtException", crash);
  process.on("unhandledRejection", crash);
  host.start();
}
