import type { Fields } from "../../acp/checks.ts";
import type { ErrorBody, Id } from "../../wire/message.ts";
import type { Command } from "./adapter.ts";

/** What an adapter wants done. Steps are done in their order. */
export type Step =
  /** A line to the child; the newline is added. */
  | { write: string }
  /** The value of `update` in a `session/update`. */
  | { update: Fields }
  | { reply: Id; result: Fields }
  | { fail: Id; error: ErrorBody }
  /** `session/request_permission`: what is `ask`ed under this name comes back by `fromAcp`. */
  | { ask: string; permission: Permission }
  /** The question is void; its answer does not come any more. */
  | { withdraw: string }
  | { notify: string; params: Fields }
  /** Starts the child of this turn. */
  | { run: Run }
  /** SIGINT to the child. */
  | { interrupt: true }
  /** The child is of no use any more. */
  | { stop: true }
  /** Keeps what the program calls this session, for its next opening. */
  | { remember: string }
  /** A sentence for the log. */
  | { log: string };

/** The params of a question, but for the session. */
export interface Permission {
  toolCall: Fields;
  options: PermissionOption[];
  _meta?: Fields;
}

export interface PermissionOption {
  optionId: string;
  name: string;
  kind: "allow_once" | "allow_always" | "reject_once" | "reject_always";
}

/** One child of a turn. */
export interface Run extends Command {
  /** What it reads; its stdin is closed behind it. */
  stdin: string;
  /** How its stdout is handed to the adapter. */
  reads: "lines" | "text";
}
