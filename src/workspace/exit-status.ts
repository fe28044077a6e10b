import type { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import type { Clock } from "../ground/clock.ts";

/** How a command ended, as ACP says it: the one or the other. */
export interface ExitStatus {
  readonly exitCode?: number;
  readonly signal?: NodeJS.Signals;
}

/** Milliseconds between two looks at whether anything still comes. */
const LOOK_MS = 50;
/** Milliseconds after which a command has ended, whatever what it left behind still prints. */
const LONGEST_MS = 2_000;

/**
 * Resolves when a command has ended and all that it printed was read. Its pipes end with it, unless something that
 * it left in the background still has them: then it is enough that nothing came between three looks (between two,
 * only this process may have been held up). The pipes stay open: what goes on printing has a terminal to print to.
 */
export function exitStatus(
  child: ChildProcess,
  pipes: readonly Readable[],
  clock: Clock,
): Promise<ExitStatus> {
  return new Promise((resolve) => {
    let received = 0;
    for (const pipe of pipes) {
      pipe.on("data", (chunk: Buffer) => {
        received += chunk.length;
      });
    }
    child.once("exit", (code, signal) => {
      const status = signal === null ? { exitCode: code ?? 0 } : { signal };
      const cancel = onceQuiet(
        () => received,
        clock,
        () => resolve(status),
      );
      child.once("close", () => {
        cancel();
        resolve(status);
      });
    });
  });
}

function onceQuiet(received: () => number, clock: Clock, ring: () => void): () => void {
  const longest = clock.monotonic() + LONGEST_MS;
  let before = received();
  let silent = 0;
  const look = (): void => {
    const now = received();
    silent = now === before ? silent + 1 : 0;
    before = now;
    if (silent === 2 || clock.monotonic() >= longest) ring();
    else cancel = clock.after(LOOK_MS, look);
  };
  let cancel = clock.after(LOOK_MS, look);
  return () => cancel();
}
