import { spawnSync } from "node:child_process";
import { basename, extname } from "node:path";
import { fileURLToPath } from "node:url";

/** ms in which Node reads a file; more is no file of a module. */
const CHECK_WITHIN_MS = 10_000;

const TYPESCRIPT = new Set([".ts", ".mts", ".cts"]);

/** What this Node cannot run, whatever stands in it: one sentence, with what to do. */
export function foreignModule(file: string): string | undefined {
  const isForeign =
    TYPESCRIPT.has(extname(file)) && !("typescript" in process.features && process.features.typescript);
  return isForeign
    ? `${basename(file)} is TypeScript, which Node ${process.versions.node} does not run; use Node 22.18 or later, or compile it.`
    : undefined;
}

/**
 * What is wrong with the text of a module, as far as Node can tell without running it: one sentence with the line.
 * Node reads the types of TypeScript only when it runs it, so of that nothing is found here.
 */
export function syntaxProblem(file: string): string | undefined {
  const foreign = foreignModule(file);
  if (foreign !== undefined || TYPESCRIPT.has(extname(file))) return foreign;
  const { status, stderr } = spawnSync(process.execPath, ["--check", file], {
    // Nothing of the environment is Node's to obey here (NODE_OPTIONS would run code).
    env: {},
    encoding: "utf8",
    timeout: CHECK_WITHIN_MS,
  });
  if (status === 0) return undefined;
  const [message = `Node cannot read ${basename(file)}.`] = /^\w*Error.*: .*$/m.exec(stderr) ?? [];
  const place = placeIn(stderr);
  return place === undefined ? message : `${message} (${place})`;
}

/** The first file with a line in what Node says of an error: `planner.mjs:3`. */
export function placeIn(said: string): string | undefined {
  const [, path, line] = /((?:file:\/\/)?\/\S+):(\d+)/.exec(said) ?? [];
  if (path === undefined) return undefined;
  return `${basename(path.startsWith("file:") ? fileURLToPath(path) : path)}:${line}`;
}
