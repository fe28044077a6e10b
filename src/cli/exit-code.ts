import { isFields } from "../acp/checks.ts";
import { RosterError } from "../hall/roster/fault.ts";
import { RequestFailed } from "../wire/peer.ts";
import { NoHall, NotAllowed, UsageError } from "./usage.ts";

/** 1 failed, 2 wrong usage or roster, 3 no hall there, 4 not authorised. */
export function exitCode(error: unknown): number {
  if (error instanceof UsageError || error instanceof RosterError) return 2;
  if (error instanceof NoHall) return 3;
  if (error instanceof NotAllowed) return 4;
  if (error instanceof RequestFailed && isFields(error.error.data)) {
    if (error.error.data.kind === "not_authorized") return 4;
  }
  return 1;
}
