import type { Fields } from "../../acp/checks.ts";
import type { Id } from "../../wire/message.ts";

/** What comes from the client, about one session. */
export type AcpMessage =
  | { kind: "request"; id: Id; method: string; params: Fields }
  | { kind: "notification"; method: string; params: Fields }
  /** The prompt that runs is to end. Never comes when none runs. */
  | { kind: "cancel" }
  /** What became of an `ask` step. */
  | { kind: "answer"; ask: string; decision: Decision };

/** The option that was chosen (one of those that were offered), or why there is none. */
export type Decision = { option: string; kind: string } | "cancelled" | "failed";
