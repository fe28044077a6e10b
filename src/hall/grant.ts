import type { Origin } from "./origin.ts";

/** `observe` is to read, `prompt` to have work done, `approve` to be asked, `admin` all of it in every session. */
export const SCOPES = ["observe", "prompt", "approve", "admin"] as const;

export type Scope = (typeof SCOPES)[number];

/** The owner of the sessions of the hall's own user. */
export const LOCAL = "local";

export interface GrantParts {
  /** Whose sessions are its own: a token's id, or `local`. */
  owner: string;
  /** For people. */
  name: string;
  scopes: Iterable<Scope>;
  /** The slots that it may use; undefined: all. */
  slots?: Iterable<string> | undefined;
}

/** What a client may do in a hall. */
export class Grant {
  readonly owner: string;
  readonly name: string;
  /** undefined: all. */
  readonly slots: ReadonlySet<string> | undefined;
  readonly #scopes: ReadonlySet<Scope>;

  constructor({ owner, name, scopes, slots }: GrantParts) {
    this.owner = owner;
    this.name = name;
    this.#scopes = new Set(scopes);
    this.slots = slots === undefined ? undefined : new Set(slots);
  }

  /** Whose it is and what it allows, in one string: another token, or the same with other rights, has another. */
  get rights(): string {
    const slots = this.slots && [...this.slots].sort();
    return JSON.stringify([this.owner, [...this.#scopes].sort(), slots]);
  }

  /** Who works may also look on, and an admin may everything. */
  may(scope: Scope): boolean {
    if (this.#scopes.has(scope) || this.#scopes.has("admin")) return true;
    return scope === "observe" && this.#scopes.has("prompt");
  }

  mayUse(slot: string): boolean {
    return this.slots?.has(slot) ?? true;
  }

  /** Whether a session is there at all for this client. `isShared`: its slot shows it to all who may use the slot. */
  sees({ owner, slot }: { owner: string; slot: string }, isShared: boolean): boolean {
    if (this.may("admin")) return true;
    return this.mayUse(slot) && (owner === this.owner || isShared);
  }
}

/** Who has not been let in yet. */
export const NOTHING = new Grant({ owner: "", name: "nobody", scopes: [] });

/** The hall's own user: all of it on the UNIX socket; by TCP, where a port may be forwarded, all but `admin`. */
export const localGrant = (isAdmin: boolean): Grant =>
  new Grant({ owner: LOCAL, name: LOCAL, scopes: isAdmin ? ["admin"] : ["prompt", "approve"] });

/** Who decides what a client may do. */
export interface Gate {
  /** `token`: what the client said in `initialize`, if anything. Rejects with `not_authorized`. */
  grant(origin: Origin, token: unknown): Promise<Grant>;
  /** Others than the hall's own user may come in. */
  readonly isShared: boolean;
  /** The slots that this owner of sessions may use; undefined: all. */
  slotsOf(owner: string): ReadonlySet<string> | undefined;
}
