import { type Fields, isFields, optionalString } from "../acp/checks.ts";
import { isToolKind, type ToolKind } from "../acp/tool-kinds.ts";
import { kindOfTool } from "./tool-kind.ts";

/** In an agent's environment: the socket on which its hooks ask. */
export const SOCKET_VARIABLE = "HALL_PERMISSION_SOCKET";

/** The method of that socket. */
export const ASK = "permission/ask";

/** What a hook asks: whether this tool may run with this input. */
export interface HookQuestion {
  readonly tool: string;
  readonly title: string;
  readonly kind: ToolKind;
  readonly input: unknown;
  /** Why it is wanted, in words. */
  readonly reason: string | undefined;
  /** The id under which the agent announced the call, if it did. */
  readonly toolCallId: string | undefined;
  /** The agent's own session id. */
  readonly session: string | undefined;
  /** Milliseconds that the asker waits at most. */
  readonly timeout: number | undefined;
}

/** What it is told. `scope`: whether the answer holds for this call, or for more like it. */
export interface HookAnswer {
  readonly decision: "allow" | "deny";
  readonly scope: "once" | "session";
  readonly message: string;
}

/** A no that nobody was asked for: `message` says why. */
export const refusedUnasked = (message: string): HookAnswer => ({ decision: "deny", scope: "once", message });

const LONGEST_TITLE = 200;

/** Undefined: it does not say which tool. */
export function readHookQuestion(params: Fields): HookQuestion | undefined {
  const tool = optionalString(params, "tool");
  if (!tool) return undefined;
  const { kind, timeout, input } = params;
  return {
    tool,
    title: (optionalString(params, "title") ?? titleOf(tool, input)).slice(0, LONGEST_TITLE),
    kind: typeof kind === "string" && isToolKind(kind) ? kind : kindOfTool(tool),
    input,
    reason: optionalString(params, "reason"),
    toolCallId: optionalString(params, "toolCallId"),
    session: optionalString(params, "session"),
    timeout: typeof timeout === "number" && timeout >= 0 ? timeout * 1000 : undefined,
  };
}

/** What a person recognises it by: the command's first line, the file, or else the tool's name. */
function titleOf(tool: string, input: unknown): string {
  const { command, file_path: file, path, url } = isFields(input) ? input : {};
  const said = [command, file, path, url].find(isSaid);
  if (said === undefined) return tool;
  const [line = ""] = said.trim().split("\n");
  return said === command ? line : `${tool} ${line}`;
}

const isSaid = (text: unknown): text is string => typeof text === "string" && text.trim() !== "";
