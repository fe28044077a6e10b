import path from "node:path";
import { isToolKind, type ToolKind } from "../acp/tool-kinds.ts";
import { Judge } from "../permission/judge.ts";
import { ShellParser } from "../permission/shell-parser.ts";
import { readToolCall } from "../permission/tool-call.ts";
import { kindOfTool } from "../permission/tool-kind.ts";
import { loadRoster, rosterFile } from "./chosen-roster.ts";
import { print } from "./print.ts";
import { UsageError } from "./usage.ts";

interface TestOptions {
  config?: string;
  cwd?: string;
  json?: boolean;
}

/** `hall permissions test`: what the rules of a roster say of a call that nobody makes. */
export async function testRules(
  slotName: string,
  what: string,
  text: string | undefined,
  { config, cwd, json }: TestOptions,
): Promise<void> {
  const { slots } = loadRoster(rosterFile(config));
  const slot = slots.find(({ name }) => name === slotName);
  if (!slot) {
    const names = slots.map(({ name }) => name).join(", ");
    throw new UsageError(`There is no slot ${JSON.stringify(slotName)}; there are: ${names}.`);
  }
  const kind = isToolKind(what) ? what : kindOfTool(what);
  const call = readToolCall({
    kind,
    ...(isToolKind(what) ? {} : { name: what }),
    ...(text === undefined ? {} : { rawInput: inputOf(kind, text) }),
  });
  const law = { roster: slot.permissionRules, session: [], cwd: path.resolve(cwd ?? slot.cwd) };
  const { decision, rule, why } = await new Judge(new ShellParser()).verdictOn(call, law);
  print(json, { decision, rule: rule?.text ?? null, why }, `${decision}\n${why}\n`);
}

/** How a tool of this kind names what it is about. */
function inputOf(kind: ToolKind, text: string): object {
  if (kind === "execute") return { command: text };
  return kind === "fetch" ? { url: text } : { path: text };
}
