/**
 * Loaded into a hall beside its own code (`node --import`), when its memory is measured: answers questions of its
 * parent over the IPC channel. The hall itself knows nothing of it.
 */

const WATCH_MS = 10;

export type Question = "memory" | "watch" | "peak";

export interface Memory {
  /** Bytes that the system counts as this process's. */
  rss: number;
  /** Bytes of live JavaScript objects, and of buffers outside of the heap. */
  live: number;
}

let watching: NodeJS.Timeout | undefined;
let peak = 0;

const look = (): void => {
  peak = Math.max(peak, process.memoryUsage.rss());
};

/** After a full collection: what is left is held by somebody. */
function memory(): Memory {
  globalThis.gc?.();
  globalThis.gc?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  return { rss, live: heapUsed + external };
}

process.on("message", (question: Question) => {
  switch (question) {
    case "memory":
      process.send?.(memory());
      break;
    case "watch":
      peak = 0;
      look();
      watching = setInterval(look, WATCH_MS).unref();
      process.send?.({ rss: peak, live: 0 });
      break;
    case "peak":
      clearInterval(watching);
      look();
      process.send?.({ rss: peak, live: 0 });
      break;
  }
});
process.channel?.unref();
