import { Socket } from "node:net";
import type { Readable } from "node:stream";
import type { Clock } from "../ground/clock.ts";

/** Milliseconds: one look at the streams, and how long the whole may take. */
const LOOK_MS = 100;
const LONGEST_MS = 800;

/**
 * Calls `ring` once when all that a process wrote has been delivered. It has ended, so what it wrote lies in the
 * pipes; but a child of its own may hold them open for as long as it lives. So: at the end of each stream, or when
 * nothing came between three looks (200 ms; two looks would be one only, if this process itself was held up), or
 * after 800 ms at the latest, if that child goes on talking: somebody waits to hear of the end. What is still open
 * then is destroyed.
 */
export function afterOutput(streams: readonly Readable[], clock: Clock, ring: () => void): void {
  const open = new Set(streams.filter((stream) => !stream.closed));
  const longest = clock.monotonic() + LONGEST_MS;
  let silent = 0;
  let seen = -1;
  let over = false;
  let cancel = (): void => {};

  const finish = (): void => {
    if (over) return;
    over = true;
    cancel();
    for (const stream of open) stream.destroy();
    ring();
  };
  const look = (): void => {
    const now = [...open].reduce((sum, stream) => sum + progressOf(stream), 0);
    silent = now === seen && ![...open].some(isHeldBack) ? silent + 1 : 0;
    seen = now;
    if (silent === 2 || clock.monotonic() >= longest) finish();
    else cancel = clock.after(LOOK_MS, look);
  };
  for (const stream of open) {
    stream.once("close", () => {
      open.delete(stream);
      if (open.size === 0) finish();
    });
  }
  if (open.size === 0) finish();
  else look();
}

/** Our own reader stopped it: there may be more behind it. */
const isHeldBack = (stream: Readable): boolean => stream.isPaused();

const progressOf = (stream: Readable): number => (stream instanceof Socket ? stream.bytesRead : 0);
