// Compiles src/ to dist/, from nothing, so that no file of an older build stays behind.
import { spawnSync } from "node:child_process";
import { chmodSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const root = dirname(import.meta.dirname);
const require = createRequire(import.meta.url);
const tsc = join(dirname(require.resolve("typescript/package.json")), "bin", "tsc");

rmSync(join(root, "dist"), { recursive: true, force: true });
const built = spawnSync(process.execPath, [tsc, "-p", join(root, "tsconfig.build.json")], {
  stdio: "inherit",
});
if (built.status !== 0) process.exit(built.status ?? 1);
chmodSync(join(root, "dist", "cli", "main.js"), 0o755);
