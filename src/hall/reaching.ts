import { type ErrorKind, HallFailure } from "../acp/errors.ts";
import { type Clock, pause } from "../ground/clock.ts";

/** How long a hall behind this one is tried that has a turn of ours: as long as it keeps our place; and how often; ms. */
const REACH_FOR_MS = 10 * 60_000;
const REACH_AGAIN_MS = 1_000;
/** How an agent fails while its hall is away. */
const AWAY: ReadonlySet<ErrorKind> = new Set(["spawn_failed", "init_timeout", "agent_exited"]);

/** What `reach` comes to, tried again while its hall is away: both may have been started anew, and ours was first. */
export async function untilReached<Reached>(reach: () => Promise<Reached>, clock: Clock): Promise<Reached> {
  const until = clock.monotonic() + REACH_FOR_MS;
  for (;;) {
    try {
      return await reach();
    } catch (error) {
      const isAway = error instanceof HallFailure && AWAY.has(error.kind);
      if (!isAway || clock.monotonic() > until) throw error;
      await pause(clock, REACH_AGAIN_MS);
    }
  }
}
