import { Worker } from "node:worker_threads";

/** ms between two signs of life, and after how many without one the module is said to be stuck. */
const BEAT_MS = 1_000;
const STUCK_AFTER_MS = 3_000;

/**
 * Tells on stderr which line of a module keeps its process from everything else: an endless loop hears no cancel and
 * no message, so only another thread can see where it is. What is told is part of the error when the process is ended.
 *
 * @param folder where the module's own files are
 */
export function watchForLoops(folder: string): void {
  const beats = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const count = new Int32Array(beats);
  const worker = new Worker(WATCH, {
    eval: true,
    workerData: { beats, beatMs: BEAT_MS, stuckAfterMs: STUCK_AFTER_MS, folder },
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
  });
  // Without it a module runs as well; it only is not told where it hangs.
  worker.on("error", () => {});
  worker.unref();
  setInterval(() => Atomics.add(count, 0, 1), BEAT_MS).unref();
}

/** Whether a line of a host's stderr is what `watchForLoops` tells. */
export const tellsOfLoop = (line: string): boolean => line.includes(BUSY);

const BUSY = " has kept its process busy for ";

/** A script of its own, in a thread of its own. Paused is the main thread only for as long as its stack is read. */
const WATCH = `
const { workerData: { beats, beatMs, stuckAfterMs, folder } } = require("node:worker_threads");
const { Session } = require("node:inspector");
const { relative } = require("node:path");
const { fileURLToPath } = require("node:url");
const { writeSync } = require("node:fs");
const count = new Int32Array(beats);
let last = -1, told = -1, silent = 0;
setInterval(() => {
  const now = Atomics.load(count, 0);
  silent = now === last ? silent + beatMs : 0;
  last = now;
  if (silent < stuckAfterMs || told === now) return;
  told = now;
  tell();
}, beatMs);
function tell() {
  const session = new Session();
  const urls = new Map();
  let steps = 0;
  session.connectToMainThread();
  session.on("Debugger.scriptParsed", ({ params: { scriptId, url } }) => urls.set(scriptId, url));
  session.on("Debugger.paused", ({ params: { callFrames } }) => {
    const places = callFrames.flatMap(({ location: { scriptId, lineNumber, columnNumber } }) => {
      const url = urls.get(scriptId) || "";
      const inside = url.startsWith("file:") ? relative(folder, fileURLToPath(url)) : "..";
      return inside.startsWith("..") || inside.includes("node_modules") ? [] : [inside + ":" + (lineNumber + 1) + ":" + (columnNumber + 1)];
    });
    // Between two awaits of an endless loop it stands in Node itself.
    if (places.length === 0 && steps++ < 100) return session.post("Debugger.stepInto");
    writeSync(2, (places[0] || "The module") + ${JSON.stringify(BUSY)} + silent / 1000 + " s; nothing else happens there meanwhile.\\n");
    session.post("Debugger.resume");
    session.disconnect();
  });
  session.post("Debugger.enable");
  session.post("Debugger.pause");
}
`;
