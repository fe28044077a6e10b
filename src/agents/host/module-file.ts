import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { basename, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { isFields } from "../../acp/checks.ts";
import { Code, RpcError } from "../../acp/errors.ts";
import { packageRoot } from "../../ground/package-root.ts";
import { codeOf, messageOf } from "../../ground/thrown.ts";
import { type AgentDefinition, isAgentDefinition } from "./agent-definition.ts";
import { foreignModule, placeIn } from "./module-syntax.ts";

/**
 * The agent that a module exports by default: an agent definition, or a promise of one.
 *
 * @throws RpcError when the module cannot be imported, or exports no agent; with its own line, where there is one
 */
export async function importAgent(file: string): Promise<AgentDefinition> {
  const module: unknown = await import(pathToFileURL(file).href).catch(async (error: unknown) => {
    throw await importFailure(error, file);
  });
  const exported =
    typeof module === "object" && module !== null && "default" in module ? await module.default : undefined;
  if (isAgentDefinition(exported)) return exported;
  throw new RpcError(
    Code.internal,
    `${basename(file)} exports no agent. Its default export must be what defineAgent({ name, prompt }), graphAgent or aiAgent returns${hintFor(module, exported)}.`,
  );
}

/** What is nearly right. */
function hintFor(module: unknown, exported: unknown): string {
  if (typeof exported === "function") return ", and is a function here; export what it returns";
  if (exported !== undefined || !isFields(module)) return "";
  const name = Object.keys(module).find((one) => isAgentDefinition(module[one]));
  return name === undefined ? "" : `; it exports one as ${name}`;
}

async function importFailure(error: unknown, file: string): Promise<unknown> {
  if (error instanceof SyntaxError) return syntaxFailure(error, file);
  const foreign = codeOf(error) === "ERR_UNKNOWN_FILE_EXTENSION" ? foreignModule(file) : undefined;
  if (foreign !== undefined) return new RpcError(Code.internal, foreign);
  if (codeOf(error) === "MODULE_NOT_FOUND") return requireFailure(messageOf(error), file) ?? error;
  if (codeOf(error) === "ERR_MODULE_NOT_FOUND") return missingFailure(messageOf(error), file);
  return error;
}

/** Where a syntax error is Node tells nobody but stderr. */
async function syntaxFailure(error: SyntaxError, file: string): Promise<RpcError> {
  const stack = error.stack ?? "";
  const said = /^file:\/\/\S+:\d+$/m.test(stack) ? stack : await checkOf(file);
  const place = placeIn(said) ?? basename(file);
  return new RpcError(Code.internal, `${error.message} (${place})`, { name: error.name, place });
}

async function checkOf(file: string): Promise<string> {
  try {
    await promisify(execFile)(process.execPath, ["--check", file]);
    return "";
  } catch (error) {
    return error instanceof Error && "stderr" in error ? String(error.stderr) : "";
  }
}

/** Only `import` finds this package from wherever a module stands. */
function requireFailure(message: string, file: string): RpcError | undefined {
  const [, missing] = /^Cannot find module '(acp-hall\/\w+)'/.exec(message) ?? [];
  if (missing === undefined) return undefined;
  const todo = "write the module as an ES module (.mjs, with import), or install acp-hall beside it";
  return new RpcError(Code.internal, `${basename(file)}: require finds no ${missing}; ${todo}.`, {
    name: "Error",
    place: basename(file),
  });
}

/** `Cannot find package 'x' imported from /a/planner.mjs` says no line; the import itself shows it. */
async function missingFailure(message: string, file: string): Promise<RpcError> {
  const [, kind, missing = "", from = ""] =
    /^Cannot find (\w+) '([^']+)' imported from (\S+)/.exec(message) ?? [];
  const importer = from.startsWith("file:") ? fileURLToPath(from) : from || file;
  // What this package needs, it needs because the module imports it: acp-hall/ai needs ai.
  const isOurs = !relative(packageRoot(), importer).startsWith("..") && importer !== file;
  const seen = isOurs ? file : importer;
  const text = await readFile(seen, "utf8").catch(() => "");
  const name = isOurs ? "acp-hall/" : basename(missing);
  const line = text.split("\n").findIndex((one) => /\b(from|import)\b/.test(one) && one.includes(name));
  const place = line === -1 ? basename(seen) : `${basename(seen)}:${line + 1}`;
  const todo = kind === "package" ? ` Install it beside the module: npm install ${missing}` : "";
  return new RpcError(Code.internal, `${place}: Cannot find ${kind} '${missing}'.${todo}`, {
    name: "Error",
    place,
  });
}
