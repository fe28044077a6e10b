import { dirname } from "node:path";
import { Readable } from "node:stream";
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
import { OwnLine } from "./own-line.ts";
import { lendOwnPackages } from "./own-packages.ts";
import { tellIfSlow } from "./slow-import.ts";
import { ToldSessions } from "./told/told-sessions.ts";
import { TurnCancelled } from "./turn-cancelled.ts";

export interface ServedModule {
  /** Absolute. */
  file: string;
  /** What it finds in `process.argv`, as if it had been started itself. */
  args: readonly string[];
  /** Where its sessions keep what they remember; undefined: as long as this process. */
  state: string | undefined;
  /**
   * No hall is in front: what is said is kept in `state` too, so that a client lists and loads sessions, and a turn
   * that does not end after a cancel is given up. A hall does that itself, and ends the process.
   */
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
  const stdio = new StreamTransport(process.stdin, process.stdout);
  // Editors may complain of blank lines.
  const transport = isAlone ? stdio : new OwnLine(stdio);
  // Stdout is the client's: what a module prints goes to stderr. So is stdin: for a module there is nothing in it.
  Object.defineProperty(process, "stdout", { configurable: true, get: () => process.stderr });
  const nothing = Readable.from([]);
  Object.defineProperty(process, "stdin", { configurable: true, get: () => nothing });
  process.argv = [process.argv[0] ?? "", file, ...args];
  lendOwnPackages(file, entries());
  watchForLoops(dirname(file));
  const notice = (what: string): void => void process.stderr.write(`${what}\n`);
  const agent = importAgent(file);
  tellIfSlow(agent, file, systemClock, notice);
  const host = new Host(transport, {
    agent,
    memory: state === undefined ? shortMemory() : lastingMemory(state, realDisk),
    told:
      state !== undefined && isAlone
        ? new ToldSessions(state, { disk: realDisk, clock: systemClock, notice })
        : undefined,
    clock: systemClock,
    cancelGrace: isAlone ? CANCEL_GRACE_MS : undefined,
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
    notice(stackOf(error));
    notice(agentFailure(error, dirname(file)).message);
    process.exit(1);
  };
  process.on("uncaughtException", crash);
  process.on("unhandledRejection", crash);
  host.start();
}

/** ms that a cancelled turn has to end. */
const CANCEL_GRACE_MS = 5_000;

/** Anything can be thrown, also what throws when it is looked at. */
function stackOf(error: unknown): string {
  try {
    return error instanceof Error ? (error.stack ?? "") : "";
  } catch {
    return "";
  }
}
