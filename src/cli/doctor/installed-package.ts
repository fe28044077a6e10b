import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import path from "node:path";
import { isFields } from "../../acp/checks.ts";
import { parsed } from "../../ground/json.ts";

/** The version of the npm package that a program belongs to; undefined: it is of none of this name. */
export function versionBehind(program: string, name: string): string | undefined {
  let folder = path.dirname(realpathSync(program));
  while (path.dirname(folder) !== folder) {
    const version = versionIn(folder, name);
    if (version !== undefined) return version;
    folder = path.dirname(folder);
  }
  return undefined;
}

/** Whether npx has this version already. `environment`: that of whoever runs it. */
export function isInNpxCache(
  environment: Readonly<Record<string, string>>,
  name: string,
  version: string,
): boolean {
  const { HOME: home = "", npm_config_cache: named } = environment;
  const cache = path.join(named ?? path.join(home, ".npm"), "_npx");
  if (!existsSync(cache)) return false;
  return readdirSync(cache).some(
    (entry) => versionIn(path.join(cache, entry, "node_modules", name), name) === version,
  );
}

function versionIn(folder: string, name: string): string | undefined {
  const file = path.join(folder, "package.json");
  if (!existsSync(file)) return undefined;
  const manifest = parsed(readFileSync(file, "utf8"));
  if (!isFields(manifest) || manifest.name !== name) return undefined;
  return typeof manifest.version === "string" ? manifest.version : undefined;
}
