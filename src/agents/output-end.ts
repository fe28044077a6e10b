import { Socket } from "node:net";
import type { Readable } from "node:stream";
import type { Clock } from "../ground/clock.ts";

/** Milliseconds: one look at the streams, how long a child may go on talking, and how long the whole may take. */
const LOOK_MS = 100;
const TALK_MS = 800;
const LONGEST_MS = 5_000;

/**
 * Calls `ring` once when all that a process wrote has been delivered. It has ended, so what it wrote lies in the
 * pipes; but a child of its own may hold them open for as long as it lives. So: at the end of each stream, or when
 * nothing came between three looks (200 ms; two looks would be one only, if this process itself was held up), or
 * after 800 ms in which that child went on talking: somebody waits to hear of the end. While our own reader holds it
 * back, 5 s at most. What is still open then is destroyed.
 */
export function afterOutput(streams: readonly Readable[], clock: Clock, ring: () => void): void {
  const open = new Set(streams.filter((stream) => !stream.closed));
  const longest = clock.monotonic() + LONGEST_MS;
  let silent = 0;
  let talk = 0;
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
    const held = [...open].some(isHeldBack);
    silent = now === seen && !held ? silent + 1 : 0;
    if (seen !== -1 && now !== seen && !held) talk += LOOK_MS;
    seen = now;
    if (silent === 2 || talk >= TALK_MS || clock.monotonic() >= longest) finish();
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
