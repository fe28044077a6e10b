import { isFields } from "../acp/checks.ts";
import { Code } from "../acp/errors.ts";
import { RequestFailed } from "../wire/peer.ts";

/** An agent's own error that asks for a login, not one of the hall's, which carry a kind. */
export const isLoginWanted = (error: unknown): error is RequestFailed =>
  error instanceof RequestFailed &&
  !error.lost &&
  error.error.code === Code.authRequired &&
  !(isFields(error.error.data) && typeof error.error.data.kind === "string");

/** What to say of it: whose agent it is, and what to do. */
export const loginWanted = ({ message }: RequestFailed, slot: string | undefined): string =>
  `${slot === undefined ? "The session's agent" : `The agent of slot ${slot}`} wants a login (${message}); ` +
  `hall login ${slot ?? "SLOT"} does that.`;
