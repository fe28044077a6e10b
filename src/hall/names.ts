import type { Cancel, Clock } from "../ground/clock.ts";

/** A client that gave itself a name. */
export interface Named {
  /** It is back by another connection: whatever it had is the heir's. */
  passTo(heir: this): void;
  /** It is away for longer than a moment. */
  missed(): void;
  /** It is not expected back any more. */
  givenUp(): void;
}

/** Milliseconds that a client may be away before it is missed, and before its place is given up. */
const MOMENT_MS = 30_000;
export const KEPT_MS = 10 * 60_000;
/** Places that are kept for clients that are away; one more gives up the oldest. */
const AWAY_LIMIT = 1_000;

/**
 * The names that clients gave themselves, and who has each. One whose connection is over keeps its place for
 * ten minutes: a new connection under its name takes it.
 */
export class Names<Client extends Named> {
  readonly #clock: Clock;
  readonly #holders = new Map<string, Client>();
  /** Those that are away, the longest first, and how their timers are stopped. */
  readonly #away = new Map<string, Cancel>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  holder(name: string): Client | undefined {
    return this.#holders.get(name);
  }

  /** The name is this client's from now on. Who had it, here or away, passes its place on. */
  take(name: string, client: Client): void {
    const former = this.#holders.get(name);
    this.#stopWaiting(name);
    this.#holders.set(name, client);
    former?.passTo(client);
  }

  /** The connection of this holder of a name is over, or brings nothing more. */
  lost(name: string, client: Client): void {
    if (this.#holders.get(name) !== client || this.#away.has(name)) return;
    const missed = this.#clock.after(MOMENT_MS, () => client.missed());
    const givenUp = this.#clock.after(KEPT_MS, () => this.#giveUp(name));
    this.#away.set(name, () => {
      missed();
      givenUp();
    });
    const [oldest] = this.#away.keys();
    if (this.#away.size > AWAY_LIMIT && oldest !== undefined) this.#giveUp(oldest);
  }

  /** The name's holder says that it will not come back. */
  forget(name: string): void {
    this.#stopWaiting(name);
    this.#holders.delete(name);
  }

  /** The hall stops: nobody is waited for. */
  stop(): void {
    for (const name of [...this.#away.keys()]) this.forget(name);
  }

  #giveUp(name: string): void {
    const client = this.#holders.get(name);
    this.forget(name);
    client?.givenUp();
  }

  #stopWaiting(name: string): void {
    this.#away.get(name)?.();
    this.#away.delete(name);
  }
}
