import type { Cancel, Clock } from "../ground/clock.ts";
import { messageOf } from "../ground/thrown.ts";
import type { Transport } from "../wire/transport.ts";
import { BackOff } from "./back-off.ts";
import { TurnedAway } from "./turned-away.ts";

/** A connection that takes longer to be made is given up, and tried again: some halls have to be started first. */
const CONNECT_WITHIN_MS = 35_000;
/** A connection that held so long was a good one: what comes after it begins with the shortest wait. */
const GOOD_AFTER_MS = 10_000;

/** What happened to the connection: told once for each change. `ms`: how long it was away. */
export type News =
  | { state: "lost" }
  | { state: "trying again"; why: string }
  | { state: "back"; ms: number }
  | { state: "given up"; why: string; ms: number };

export interface LinkParts {
  clock: Clock;
  /** From 0 up to 1: how the waits differ. */
  random(): number;
  /** Milliseconds for which it tries to come back; 0: not at all. */
  patience: number;
  /** A new connection to the hall, not started yet. Rejects with TurnedAway when it is no use to try again. */
  connect(): Promise<Transport>;
  /** There is a connection. */
  up(transport: Transport): void;
  /** It is over: nothing is tried any more. */
  over(): void;
  told(news: News): void;
}

/** Makes the connection to the hall again when it is lost: as often as it takes, as long as there is patience. */
export class Link {
  readonly #parts: LinkParts;
  readonly #backOff: BackOff;
  #state: "up" | "away" | "over" = "up";
  #lostAt = 0;
  #backAt: number;
  #saidTrying = false;
  #cancel: Cancel = () => {};
  /** Of the attempt that counts: an older one that still succeeds is for nobody. */
  #attempt = 0;

  constructor(parts: LinkParts) {
    this.#parts = parts;
    this.#backOff = new BackOff(parts.random);
    this.#backAt = parts.clock.monotonic();
  }

  /** The connection is gone. */
  lost(): void {
    if (this.#state !== "up") return;
    const { clock, patience, told } = this.#parts;
    if (clock.monotonic() - this.#backAt >= GOOD_AFTER_MS) this.#backOff.reset();
    this.#state = "away";
    this.#lostAt = clock.monotonic();
    this.#saidTrying = false;
    if (patience === 0) {
      this.giveUp("it is not to be tried again");
      return;
    }
    told({ state: "lost" });
    this.#wait();
  }

  /** There was no connection, or one that leads nowhere. */
  failed(why: string): void {
    if (this.#state !== "away") return;
    const { patience, told } = this.#parts;
    this.#attempt += 1;
    if (this.#awayMs >= patience) {
      this.giveUp(why);
      return;
    }
    if (!this.#saidTrying) told({ state: "trying again", why });
    this.#saidTrying = true;
    this.#wait();
  }

  /** All is as it was before. */
  back(): void {
    if (this.#state !== "away") return;
    this.#state = "up";
    this.#backAt = this.#parts.clock.monotonic();
    this.#parts.told({ state: "back", ms: this.#awayMs });
  }

  /** Trying is of no use any more. */
  giveUp(why: string): void {
    if (this.#state === "over") return;
    const ms = this.#state === "away" ? this.#awayMs : 0;
    this.stop();
    this.#parts.told({ state: "given up", why, ms });
    this.#parts.over();
  }

  /** Nobody is in front any more. */
  stop(): void {
    this.#state = "over";
    this.#attempt += 1;
    this.#cancel();
  }

  get #awayMs(): number {
    return this.#parts.clock.monotonic() - this.#lostAt;
  }

  #wait(): void {
    this.#cancel();
    this.#cancel = this.#parts.clock.after(this.#backOff.next(), () => this.#try());
  }

  #try(): void {
    const { clock, connect, up } = this.#parts;
    const attempt = ++this.#attempt;
    this.#cancel = clock.after(CONNECT_WITHIN_MS, () => this.failed("the hall does not answer"));
    connect().then(
      (transport) => {
        if (attempt !== this.#attempt) {
          transport.destroy();
          return;
        }
        this.#cancel();
        up(transport);
      },
      (error: unknown) => {
        if (attempt !== this.#attempt) return;
        if (error instanceof TurnedAway) this.giveUp(error.message);
        else this.failed(messageOf(error));
      },
    );
  }
}
