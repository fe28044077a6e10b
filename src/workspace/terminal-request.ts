import { absolutePath, type Fields, fieldsOf, isFields, requiredString } from "../acp/checks.ts";
import { invalidParams } from "../acp/errors.ts";

/** What `terminal/create` asks for, checked. */
export interface TerminalRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  readonly outputByteLimit: number | undefined;
}

/** Reads the params of `terminal/create`. What is there and wrong is refused: no other command may run instead. */
export function readTerminalRequest(params: unknown): TerminalRequest {
  const fields = fieldsOf(params);
  const command = requiredString(fields, "command");
  if (command.trim() === "") throw invalidParams('"command" must not be empty.', { field: "command" });
  const request = {
    command,
    args: readArgs(fields),
    env: readEnvironment(fields),
    cwd: isAbsent(fields.cwd) ? undefined : absolutePath(fields, "cwd"),
    outputByteLimit: readLimit(fields),
  };
  const texts = [command, ...request.args, ...Object.entries(request.env).flat()];
  if (texts.some((text) => text.includes("\0"))) {
    throw invalidParams("A command, its arguments and its environment cannot contain a zero byte.");
  }
  return request;
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

function readArgs({ args }: Fields): string[] {
  if (isAbsent(args)) return [];
  const isList = Array.isArray(args) && args.every((entry) => typeof entry === "string");
  if (!isList) throw invalidParams('"args" must be an array of strings.', { field: "args" });
  return args;
}

/** `[{name, value}]`, as ACP has it. */
function readEnvironment({ env }: Fields): Record<string, string> {
  if (isAbsent(env)) return {};
  if (!Array.isArray(env)) throw invalidParams('"env" must be an array.', { field: "env" });
  const entries = env.map((entry: unknown) => {
    const { name, value } = isFields(entry) ? entry : {};
    const isVariable = typeof name === "string" && /^[^=]+$/.test(name) && typeof value === "string";
    if (!isVariable)
      throw invalidParams('"env" must hold objects with a name and a value.', { field: "env" });
    return [name, value] as const;
  });
  return Object.fromEntries(entries);
}

function readLimit({ outputByteLimit: limit }: Fields): number | undefined {
  if (isAbsent(limit)) return undefined;
  if (typeof limit === "number" && Number.isSafeInteger(limit) && limit >= 0) return limit;
  throw invalidParams('"outputByteLimit" must be an integer from 0 on.', { field: "outputByteLimit" });
}
