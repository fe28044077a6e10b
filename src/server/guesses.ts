import { failure } from "../acp/errors.ts";
import { type Clock, pause } from "../ground/clock.ts";
import { endpoint } from "./connection-rows.ts";

/** Wrong tokens of one address that cost nothing: people mistype. */
const FREE = 5;
/** From then on each attempt from there, right or wrong, waits so long, one after another. */
const DELAY_MS = 1_000;
/** So many may wait; one more is told to come back. */
const WAITING = 8;
/** An address that guessed nothing for so long begins anew. */
const FORGOTTEN_MS = 15 * 60_000;
/** Addresses that are remembered; the one that was quiet longest makes room. */
const REMEMBERED = 10_000;

interface Guesser {
  failures: number;
  lastAt: number;
  /** When the next attempt may be looked at, in the clock's monotonic ms. */
  nextAt: number;
  waiting: number;
}

/** Slows down who guesses tokens. */
export class Guesses {
  readonly #clock: Clock;
  readonly #guessers = new Map<string, Guesser>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves when a token from this address may be looked at. Rejects when too many of them wait. */
  async turn(address: string): Promise<void> {
    const guesser = this.#guessers.get(networkOf(address));
    if (!guesser || guesser.failures < FREE || this.#isForgotten(guesser)) return;
    if (guesser.waiting >= WAITING)
      throw failure(
        "not_authorized",
        "Too many wrong tokens came from this address; try again in a minute.",
        {
          reason: "too_many_attempts",
        },
      );
    const now = this.#clock.monotonic();
    guesser.nextAt = Math.max(guesser.nextAt, now) + DELAY_MS;
    guesser.waiting += 1;
    await pause(this.#clock, guesser.nextAt - now);
    guesser.waiting -= 1;
  }

  /** A token from this address was wrong. */
  failed(address: string): void {
    const network = networkOf(address);
    const known = this.#guessers.get(network);
    const now = this.#clock.monotonic();
    const guesser =
      known && !this.#isForgotten(known) ? known : { failures: 0, lastAt: now, nextAt: 0, waiting: 0 };
    guesser.failures += 1;
    guesser.lastAt = now;
    // At the end: the first is the one that was quiet longest.
    this.#guessers.delete(network);
    this.#guessers.set(network, guesser);
    const [quietest] = this.#guessers.keys();
    if (this.#guessers.size > REMEMBERED && quietest !== undefined) this.#guessers.delete(quietest);
  }

  #isForgotten({ lastAt, waiting }: Guesser): boolean {
    return waiting === 0 && this.#clock.monotonic() - lastAt > FORGOTTEN_MS;
  }
}

/** Who has one IPv6 address has 2^64 of them: the first half counts. `address`: as `Origin` has it. */
function networkOf(address: string): string {
  const host = address.replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1");
  const bytes = endpoint(host, 0)?.address;
  if (bytes === undefined) return host;
  return bytes.startsWith("00000000000000000000ffff") ? bytes : bytes.slice(0, 16);
}
