import type { Cancel } from "../ground/clock.ts";
import type { Hall } from "../hall/hall.ts";

/** A hall, as far as whether anything goes on in it. */
export interface Busy extends Pick<Hall, "clock" | "events"> {
  readonly clients: { readonly size: number };
  /** Agent processes. */
  readonly places: { readonly taken: number };
  readonly sessions: { readonly live: readonly { readonly turns: { readonly open: readonly unknown[] } }[] };
}

export interface Idleness {
  /** Milliseconds. */
  after: number;
  /** It is to run on all the same. */
  keep(): boolean;
  stop(): void;
}

/** Calls `stop` once, when for so long a hall had neither a client, nor a turn, nor an agent process. */
export function stopWhenIdle(hall: Busy, { after, keep, stop }: Idleness): void {
  let cancel: Cancel = () => {};
  const ring = (): void => {
    if (keep() || !isIdle(hall)) begin();
    else {
      unwatch();
      stop();
    }
  };
  const begin = (): void => {
    cancel();
    cancel = hall.clock.after(after, ring);
  };
  // Whatever leaves a hall idle says so in an event: from each on, the time runs anew.
  const unwatch = hall.events.watch(begin);
  begin();
}

function isIdle(hall: Busy): boolean {
  const turns = hall.sessions.live.some((session) => session.turns.open.length > 0);
  return hall.clients.size === 0 && hall.places.taken === 0 && !turns;
}
