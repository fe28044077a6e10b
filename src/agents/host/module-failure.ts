import { relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { isFields } from "../../acp/checks.ts";
import { Code, type ErrorKind, RpcError } from "../../acp/errors.ts";
import { messageOf } from "../../ground/thrown.ts";
import { ClientError } from "./client-error.ts";

/** A failure of the host's own. Never -32000: editors take that for "log in", and hide the text. */
export const hostFailure = (kind: ErrorKind, message: string, data: object = {}): RpcError =>
  new RpcError(Code.internal, message, { kind, ...data });

/**
 * What an agent's code threw, as the answer to its prompt: its message, and the line of the module's own that it
 * came from. An error that is meant for the wire stays as it is, in one line.
 *
 * @param folder where the agent's own files are; what lies in its `node_modules` is not its own
 */
export function agentFailure(error: unknown, folder: string): RpcError {
  if (error instanceof RpcError && !(error instanceof ClientError))
    return new RpcError(error.code, sentence(error.message), error.data);
  const place = unlessItThrows(() => placeOf(error, folder));
  const message = sentence(unlessItThrows(() => wordsOf(error)) ?? "");
  const where = place === undefined || message.includes(place) ? "" : ` (${place})`;
  return new RpcError(Code.internal, `${message}${where}`, {
    ...nameOf(error),
    ...(place === undefined ? {} : { place }),
  });
}

/** Characters of an error's message, and of a thing that was thrown. */
const LONGEST = 2_000;
const SHOWN = 200;

/** In one line: clients show it as one. */
function sentence(words: string): string {
  const line = words
    .slice(0, 2 * LONGEST)
    .replace(/\s*\n\s*/g, " ")
    .trim();
  if (line === "") return "The agent failed without a message.";
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line;
}

function nameOf(error: unknown): { name?: string } {
  const name = unlessItThrows(() => (error instanceof Error ? error.name : undefined));
  return typeof name === "string" && name !== "Error" && name !== "RpcError" ? { name } : {};
}

/** Anything can be thrown: what is no error is told as what it is. */
function wordsOf(thrown: unknown): string {
  if (thrown instanceof Error || typeof thrown === "string") return messageOf(thrown);
  const { message } = isFields(thrown) ? thrown : {};
  if (typeof message === "string") return message;
  const shown = typeof thrown === "object" ? JSON.stringify(thrown) : String(thrown);
  return `The agent threw ${shown.slice(0, SHOWN)}, which is no error.`;
}

/** A thing that is thrown may throw when it is looked at. */
function unlessItThrows<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

/** The first line of the agent's own in an error's stack, or in that of its cause: `planner.mjs:7:5`. */
function placeOf(error: unknown, folder: string, depth = 0): string | undefined {
  if (!(error instanceof Error) || depth > 8) return undefined;
  const frames = (error.stack ?? "").matchAll(/((?:file:\/\/)?\/[^\s()]+?):(\d+)(?::(\d+))?\)?$/gm);
  for (const [, path = "", line, column] of frames) {
    const file = path.startsWith("file:") ? fileURLToPath(path) : path;
    const inside = relative(folder, file);
    if (inside.startsWith("..") || inside.split(sep).includes("node_modules")) continue;
    return `${inside}:${line}${column === undefined ? "" : `:${column}`}`;
  }
  return placeOf(error.cause, folder, depth + 1);
}
