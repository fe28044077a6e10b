import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";

/** Makes a program of its own out of a script that imports our sources: Node 20 runs no TypeScript. Answers its file. */
export async function compiled(script: string, folder: string): Promise<string> {
  const source = join(folder, "script.ts");
  writeFileSync(source, script);
  const bundle = await rolldown({ input: source, platform: "node", logLevel: "silent" });
  const file = join(folder, "script.mjs");
  await bundle.write({ file, format: "esm", codeSplitting: false });
  await bundle.close();
  return file;
}
