import { readFileSync } from "node:fs";

/** The version of this package, from its package.json. */
export function version(): string {
  const file = new URL("../../package.json", import.meta.url);
  const manifest: unknown = JSON.parse(readFileSync(file, "utf8"));
  if (typeof manifest === "object" && manifest !== null && "version" in manifest) {
    if (typeof manifest.version === "string") return manifest.version;
  }
  throw new Error(`${file.pathname} does not say which version this is; install hall again.`);
}
