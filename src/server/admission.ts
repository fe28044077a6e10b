import { failure } from "../acp/errors.ts";
import { HallKey } from "../acp/extensions.ts";
import type { Cancel, Clock } from "../ground/clock.ts";
import type { Client } from "../hall/client.ts";
import type { Events, Refused } from "../hall/events.ts";
import { type Gate, type Grant, LOCAL, localGrant, NOTHING } from "../hall/grant.ts";
import type { Origin } from "../hall/origin.ts";
import { Guesses } from "./guesses.ts";
import { grantOf, tokenOf } from "./token.ts";
import type { Tokens } from "./tokens.ts";

/** While somebody is in by a token: how often it is looked whether that still counts. */
const LOOK_MS = 500;

export interface AdmissionParts {
  tokens: Tokens;
  clock: Clock;
  events(): Events;
  clients(): Iterable<Client>;
}

/** Decides who comes in, and as whom. */
export class Admission implements Gate {
  readonly #parts: AdmissionParts;
  readonly #guesses: Guesses;
  #stopLooking: Cancel | undefined;

  constructor(parts: AdmissionParts) {
    this.#parts = parts;
    this.#guesses = new Guesses(parts.clock);
  }

  get isShared(): boolean {
    return this.#parts.tokens.all.length > 0;
  }

  async grant(origin: Origin, token: unknown): Promise<Grant> {
    if (origin.via === "unix") return localGrant(true);
    if (origin.grant) return this.#watched(origin.grant);
    if (token === undefined || token === null) {
      if (origin.trusted) return localGrant(false);
      this.#refused(origin, "no_token");
      throw tokenMissing();
    }
    return this.byToken(origin, token);
  }

  /** Who shows this token. Rejects with `not_authorized`. */
  async byToken(origin: Origin, secret: unknown): Promise<Grant> {
    const { address } = origin;
    await this.#guesses.turn(address).catch((error: unknown) => {
      this.#refused(origin, "too_many_attempts");
      throw error;
    });
    const token = typeof secret === "string" ? tokenOf(secret, this.#parts.tokens.all) : undefined;
    if (token) return this.#watched(grantOf(token));
    this.#guesses.failed(address);
    this.#refused(origin, "wrong_token");
    throw tokenWrong();
  }

  slotsOf(owner: string): ReadonlySet<string> | undefined {
    if (owner === LOCAL) return undefined;
    const token = this.#parts.tokens.byId(owner);
    return token ? grantOf(token).slots : new Set();
  }

  /** Somebody is in by a token: from now on it is looked whether it still counts. */
  #watched(grant: Grant): Grant {
    this.#stopLooking ??= this.#parts.clock.after(LOOK_MS, () => this.#look());
    return grant;
  }

  #look(): void {
    this.#stopLooking = undefined;
    const { clients, clock, events, tokens } = this.#parts;
    const valid = new Set(tokens.all.map((token) => grantOf(token).rights));
    const others = [...clients()].filter(({ grant }) => grant.owner !== LOCAL);
    for (const client of others) {
      const { grant, name } = client;
      if (grant === NOTHING || valid.has(grant.rights)) continue;
      events().emit("client.revoked", { client: name, as: grant.name });
      client.farewell();
      client.destroy();
    }
    if (others.length > 0) this.#stopLooking = clock.after(LOOK_MS, () => this.#look());
  }

  #refused({ via, address }: Origin, why: Refused): void {
    this.#parts.events().emit("client.refused", { via, address, why });
  }
}

const tokenMissing = () =>
  failure(
    "not_authorized",
    `This hall wants a token: hall commands take it from $HALL_TOKEN or --token-file, other clients send it as "${HallKey.token}" ` +
      "in the _meta of initialize. Whoever runs the hall makes one with hall token add.",
    { reason: "no_token" },
  );

const tokenWrong = () =>
  failure(
    "not_authorized",
    "The token is none of this hall's, or it was revoked; ask whoever runs the hall.",
    {
      reason: "wrong_token",
    },
  );
