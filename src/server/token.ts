import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { Grant, type Scope } from "../hall/grant.ts";

/** Who may come in, as the tokens file has it: never the token itself. */
export interface Token {
  /** A name that is given again is another token: sessions are this one's, not the name's. */
  readonly id: string;
  readonly name: string;
  /** SHA-256, in base64url. The token is 256 bits of chance: nobody guesses it from this. */
  readonly hash: string;
  readonly scopes: readonly Scope[];
  /** undefined: all slots. */
  readonly slots: readonly string[] | undefined;
  /** An ISO date. */
  readonly created: string;
}

export type TokenWishes = Pick<Token, "name" | "scopes" | "slots">;

/** What a token begins with, so that a scanner of secrets knows one when it is lying around. */
const PREFIX = "hall_";

/** Makes a token; `secret` is what its owner shows, and is kept nowhere. */
export function newToken(wishes: TokenWishes, now: number): { token: Token; secret: string } {
  const secret = PREFIX + randomBytes(32).toString("base64url");
  const id = `tk_${randomBytes(8).toString("hex")}`;
  const { name, scopes, slots } = wishes;
  const created = new Date(now).toISOString();
  return { token: { id, name, hash: hashOf(secret), scopes, slots, created }, secret };
}

/** The token that this is the secret of. How long it takes tells nothing about any of them. */
export function tokenOf(secret: string, tokens: readonly Token[]): Token | undefined {
  const shown = Buffer.from(hashOf(secret));
  let found: Token | undefined;
  for (const token of tokens) {
    const kept = Buffer.from(token.hash);
    if (kept.length === shown.length && timingSafeEqual(kept, shown)) found = token;
  }
  return found;
}

export const grantOf = ({ id, name, scopes, slots }: Token): Grant =>
  new Grant({ owner: id, name, scopes, slots });

const hashOf = (secret: string): string => createHash("sha256").update(secret).digest("base64url");
