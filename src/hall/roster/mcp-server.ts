import { z } from "zod";
import { anyShape, leaf, list, Refusal, section } from "./leaf.ts";
import { program, readText, text, words } from "./text.ts";

/** An MCP server as `session/new` carries it (ACP: protocol/session-setup, MCP servers). */
export type McpServer = McpServerOnStdio | McpServerOnHttp;

export interface McpServerOnStdio {
  name: string;
  command: string;
  args: string[];
  env: NamedValue[];
}

export interface McpServerOnHttp {
  type: "http" | "sse";
  name: string;
  url: string;
  headers: NamedValue[];
}

export interface NamedValue {
  name: string;
  value: string;
}

function readUrl(value: unknown): string | Refusal {
  const url = readText(value);
  if (url instanceof Refusal || (/^https?:/.test(url) && URL.canParse(url))) return url;
  return new Refusal("is not a URL", "write http://… or https://…");
}

const namedValue = section({ name: words(), value: text() });

/** ACP tells the kinds apart by `type`; without one it is a program on stdio. */
export const mcpServer = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("stdio").optional(),
    name: words().describe("What the agent calls it."),
    command: program().describe("The program."),
    args: list(text(), "[--root, /srv]").describe("Its arguments: public, as all of a command line."),
    env: list(namedValue, "[{ name: TOKEN, value: abc }]").describe(
      "Its environment, as a list of name and value.",
    ),
  }),
  z.strictObject({
    type: z.literal(["http", "sse"]),
    name: words().describe("What the agent calls it."),
    url: leaf(readUrl, anyShape({ type: "string", pattern: "^https?:" })).describe("Where it is."),
    headers: list(namedValue, "[{ name: Authorization, value: abc }]").describe(
      "Headers of each request, as a list of name and value.",
    ),
  }),
]);

/** ACP's stdio server has no `type`. */
export function mcpServerOf(read: z.output<typeof mcpServer>): McpServer {
  if ("url" in read) return read;
  const { name, command, args, env } = read;
  return { name, command, args, env };
}
