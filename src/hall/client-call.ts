import type { Fields } from "../acp/checks.ts";
import { ClientMethod } from "../acp/methods.ts";
import { readToolCall, type ToolCall } from "../permission/tool-call.ts";

/** What an agent does through its client that a rule may deny: it writes a file, or runs a command. */
export function deniableCall(method: string, { path, command, args }: Fields): ToolCall | undefined {
  if (method === ClientMethod.writeTextFile) return readToolCall({ kind: "edit", rawInput: { path } });
  if (method !== ClientMethod.createTerminal) return undefined;
  return readToolCall({
    kind: "execute",
    rawInput: { command: [command, ...(Array.isArray(args) ? args : [])] },
  });
}
