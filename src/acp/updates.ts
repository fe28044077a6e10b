import { type Fields, isFields } from "./checks.ts";
import { UPDATE } from "./methods.ts";

/** The update that a `session/update` carries; empty when it carries none. */
export function updateOf(params: unknown): Fields {
  return isFields(params) && isFields(params.update) ? params.update : {};
}

/** The kind of an update, `sessionUpdate`; an empty string when it has none. */
export const kindOf = (update: Fields): string =>
  typeof update.sessionUpdate === "string" ? update.sessionUpdate : "";

/** How nearly all agents spell an update of a session, up to its `update`; and what comes behind that. */
export const updateBeginning = (sessionId: string): string =>
  `{"jsonrpc":"2.0","method":"${UPDATE}","params":{"sessionId":${JSON.stringify(sessionId)},"update":`;
export const UPDATE_ENDING = "}}";

/** What an update tells about how a session stands, as against what happened in it. */
const STATE_KINDS: ReadonlySet<string> = new Set([
  "available_commands_update",
  "current_mode_update",
  "config_option_update",
  "session_info_update",
]);

/** True for kinds that tell state; a replay's other kinds, unknown ones too, tell history. */
export const tellsState = (kind: string): boolean => STATE_KINDS.has(kind);

/** Tool calls that a turn began and has not ended. */
export class OpenToolCalls {
  readonly #open = new Set<string>();

  see(kind: string, update: Fields): void {
    if (kind !== "tool_call" && kind !== "tool_call_update") return;
    const id = update.toolCallId;
    if (typeof id !== "string") return;
    const { status } = update;
    if (status === "completed" || status === "failed") this.#open.delete(id);
    else if (kind === "tool_call" || typeof status === "string") this.#open.add(id);
  }

  /** A question names a tool call that some agents never announce otherwise (gemini, qwen). */
  mention(toolCallId: string): void {
    this.#open.add(toolCallId);
  }

  /** The ids that are still open, which from now on count as ended. */
  takeAll(): string[] {
    const ids = [...this.#open];
    this.#open.clear();
    return ids;
  }
}
