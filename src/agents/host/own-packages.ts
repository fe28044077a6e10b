import { register } from "node:module";
import { pathToFileURL } from "node:url";

/**
 * Lets an agent's module import `acp-hall/…` wherever it stands: what is not installed beside it is this package.
 * And what this package imports on an agent's behalf (`ai`, `@langchain/langgraph`) is looked for beside the module.
 *
 * @param file of the module
 * @param entries of this package, by the name that a module imports; absolute files
 */
export function lendOwnPackages(file: string, entries: Readonly<Record<string, string>>): void {
  const urls = Object.entries(entries).map(([name, path]) => [name, pathToFileURL(path).href] as const);
  const data = { module: pathToFileURL(file).href, own: Object.fromEntries(urls) };
  register(`data:text/javascript,${encodeURIComponent(HOOKS)}`, { data });
}

/** Node runs these in a thread of their own, so they are a module that stands alone. */
const HOOKS = `
let lent;
export function initialize(data) { lent = data; }
export async function resolve(specifier, context, next) {
  try {
    return await next(specifier, context);
  } catch (error) {
    const own = lent.own[specifier];
    if (own) return { url: own, shortCircuit: true };
    if (error.code !== "ERR_MODULE_NOT_FOUND" || /^[./]|^[a-z]+:/.test(specifier)) throw error;
    try {
      return await next(specifier, { ...context, parentURL: lent.module });
    } catch {
      throw error;
    }
  }
}
`;
