import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "..", "..");

/**
 * A module of `src`, with all that it imports, as a plain Node process can load it. Made anew for the test that
 * asks, so that it is this source and not an older build. Answers the module's path, in a folder that is `folder`.
 */
export function compile(module: string): { file: string; folder: string } {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "hall-compiled-"));
  const configuration = {
    extends: path.join(root, "tsconfig.json"),
    compilerOptions: {
      noEmit: false,
      noCheck: true,
      rootDir: path.join(root, "src"),
      outDir: folder,
      typeRoots: [path.join(root, "node_modules", "@types")],
    },
    include: [],
    files: [path.join(root, "src", `${module}.ts`)],
  };
  fs.writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify(configuration));
  fs.writeFileSync(path.join(folder, "package.json"), JSON.stringify({ type: "module" }));
  const typescript = path.dirname(createRequire(import.meta.url).resolve("typescript/package.json"));
  const made = spawnSync(process.execPath, [path.join(typescript, "bin", "tsc"), "-p", folder], {
    encoding: "utf8",
  });
  if (made.status !== 0) throw new Error(`tsc failed: ${made.stdout}${made.stderr}`);
  return { file: path.join(folder, `${module}.js`), folder };
}
