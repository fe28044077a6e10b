import type { Fields } from "../acp/checks.ts";
import { ClientMethod } from "../acp/methods.ts";
import { readToolCall, type ToolCall } from "../permission/tool-call.ts";

/** What an agent does through its client that a rule may deny: it writes a file, or runs a command. */
export function deniableCall(method: string, { path, command, args, cwd }: Fields): ToolCall | undefined {
  if (method === ClientMethod.writeTextFile) return readToolCall({ kind: "edit", rawInput: { path } });
  if (method !== ClientMethod.createTerminal) return undefined;
  const words = [command, ...(Array.isArray(args) ? args : [])];
  return readToolCall({ kind: "execute", rawInput: { command: words, cwd } });
}
