import { readFileSync } from "node:fs";
import { isFields } from "../acp/checks.ts";

/** The version of this package, from its package.json. */
export function version(): string {
  const file = new URL("../../package.json", import.meta.url);
  const manifest: unknown = JSON.parse(readFileSync(file, "utf8"));
  if (isFields(manifest) && typeof manifest.version === "string") return manifest.version;
  throw new Error(`${file.pathname} does not say which version this is; install hall again.`);
}
