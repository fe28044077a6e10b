import type { Fields } from "../acp/checks.ts";
import { HallMethod } from "../acp/extensions.ts";
import { systemClock } from "../ground/clock.ts";
import { parseDuration } from "../ground/duration.ts";
import { version } from "../ground/version.ts";
import { Connection, FOR_CONTROL } from "./connection.ts";
import { type HallChoice, needHall } from "./find-hall.ts";
import { keepAlive } from "./keep-alive.ts";
import { UsageError } from "./usage.ts";

export interface FollowingParts {
  choice: HallChoice;
  /** Notifications of this method are seen. */
  method: string;
  see(told: Fields): void;
  /** Milliseconds after which it ends by itself; undefined: it does not. */
  limit: number | undefined;
  /** Events that are wanted: how their types begin. That the hall stops is told in any case. */
  events?: string;
  /** Asks for what is to follow beside events. False: nothing is to. */
  begin?(hall: Connection): Promise<boolean>;
}

const STOPPING = "hall.stopping";
const DROPPED = "events.dropped";

/** How it came to an end that a hall was listened to. */
export type FollowingEnd = "enough" | "hall stopped" | "hall lost";

/** Listens to a hall until Ctrl-C, the limit, the end of who reads us, or the end of the hall. Rejects as `needHall` does. */
export async function follow({
  choice,
  method,
  see,
  limit,
  events,
  begin,
}: FollowingParts): Promise<FollowingEnd> {
  const address = await needHall(choice);
  const letGo = keepAlive();
  let end: (how: FollowingEnd) => void = () => {};
  const ended = new Promise<FollowingEnd>((resolve) => {
    end = resolve;
  });
  const enough = (): void => end("enough");
  // How many are missing is told whatever is wanted.
  const isWanted = ({ type }: Fields): boolean =>
    events !== undefined && [events, DROPPED].some((beginning) => String(type).startsWith(beginning));
  let isStopping = false;
  const parts = {
    address,
    clock: systemClock,
    version: version(),
    meta: FOR_CONTROL,
    handlers: {
      notification: (told: string, params: Fields) => {
        if (told === HallMethod.event && params.type === STOPPING) isStopping = true;
        if (told === method && (told !== HallMethod.event || isWanted(params))) see(params);
      },
      ended: () => end(isStopping ? "hall stopped" : "hall lost"),
    },
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, enough);
  process.stdout.once("error", enough);
  try {
    return await Connection.during(parts, async (hall) => {
      await hall.ask(HallMethod.events, { filter: events === undefined ? [STOPPING] : [events, STOPPING] });
      if (begin && !(await begin(hall))) return "enough";
      if (limit !== undefined) systemClock.after(limit, enough);
      return ended;
    });
  } finally {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, enough);
    letGo();
  }
}

/** What `--for` says, in milliseconds. Throws a UsageError. */
export function limitOf(written: string | undefined): number | undefined {
  if (written === undefined) return undefined;
  const ms = parseDuration(written);
  if (ms === undefined) throw new UsageError(`--for ${written} is no duration; write 5s or 10m.`);
  return ms;
}
