import type { Fields } from "../../acp/checks.ts";
import type { Cancel } from "../../ground/clock.ts";
import type { Settle } from "../../wire/peer.ts";

/** Who a turn is played to: the client, as far as one session reaches it. */
export interface Audience {
  /** Sends a `session/update`. */
  show(update: Fields): void;
  /** Puts a `session/request_permission`; the answer takes it back. */
  ask(question: Fields, answered: Settle): Cancel;
}
