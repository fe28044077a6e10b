import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { documentOf, Household } from "../cli/household.ts";
import { temporaryFolder } from "../doubles/temporary-folder.ts";
import { ROOT } from "./page.ts";

const read = <Shape extends z.ZodType>(shape: Shape, name: string) =>
  shape.parse(JSON.parse(readFileSync(join(ROOT, name), "utf8")));

const { name, version, bin } = read(
  z.object({ name: z.string(), version: z.string(), bin: z.object({ hall: z.string() }) }),
  "package.json",
);

/** What npm makes of the tree, built as it is: building it again would take it from under the other tests. */
function pack(folder: string): { archive: string; files: string[] } {
  const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", folder];
  const said = execFileSync("npm", args, {
    cwd: ROOT,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const packed = z.array(z.object({ filename: z.string(), files: z.array(z.object({ path: z.string() })) }));
  const [made] = packed.parse(JSON.parse(said));
  if (!made) throw new Error("npm packed nothing.");
  return { archive: join(folder, made.filename), files: made.files.map(({ path }) => path) };
}

/**
 * Puts the package into an empty folder as an install does, with what it depends on and nothing else. The copies
 * are this tree's: no registry is asked. Answers the path of the program.
 */
function install(archive: string, folder: string): string {
  const modules = join(folder, "node_modules");
  const own = join(modules, name);
  mkdirSync(own, { recursive: true });
  execFileSync("tar", ["-xzf", archive, "-C", own, "--strip-components=1"]);
  const lock = read(
    z.object({ packages: z.record(z.string(), z.object({ dev: z.boolean().optional() })) }),
    "package-lock.json",
  );
  for (const [place, { dev }] of Object.entries(lock.packages)) {
    if (place === "" || dev) continue;
    cpSync(join(ROOT, place), join(folder, place), { recursive: true });
  }
  const program = join(modules, ".bin", "hall");
  mkdirSync(dirname(program), { recursive: true });
  symlinkSync(join(own, bin.hall), program);
  return program;
}

describe("the package", () => {
  it("has the program, the schema, the pages, and no sources or tests", () => {
    const { files } = pack(temporaryFolder());
    const needed = [bin.hall, "config/hall.schema.json", "config/hall.example.yml", "docs/roster.md"];
    expect(files).toEqual(expect.arrayContaining([...needed, "README.md", "CHANGELOG.md", "LICENSE"]));
    const expected =
      /^(dist\/.+\.(js|d\.ts)|dist\/LICENSES\.txt|config\/.+|docs\/.+\.md|examples\/.+\.mjs|README\.md|CHANGELOG\.md|LICENSE|package\.json)$/;
    expect(files.filter((file) => !expected.test(file))).toEqual([]);
  });

  it("installs into an empty folder, and its hall runs there", { timeout: 60_000 }, async () => {
    const household = new Household();
    const folder = temporaryFolder();
    const hall = install(pack(folder).archive, folder);
    const run = async (...args: string[]) => {
      const running = household.startProgram(hall, args).read();
      running.child.stdin.end();
      return running.finished;
    };
    expect(await run("--version")).toMatchObject({ code: 0, stdout: `${version}\n` });
    const roster = household.roster({ demo: { demo: true } });
    expect(await run("check", "--config", roster)).toMatchObject({ code: 0 });
    const serving = household.startProgram(hall, ["serve", "--config", roster]).read();
    await serving.says("The hall is open.");
    const answer = documentOf(await run("prompt", "--json", "slow, count to 2"));
    expect(answer).toMatchObject({ stopReason: "end_turn", text: expect.stringContaining("1 2 ") });
    expect(await run("stop")).toMatchObject({ code: 0 });
    expect(await serving.finished).toMatchObject({ code: 0 });
  });
});
