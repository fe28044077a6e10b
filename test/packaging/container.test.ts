import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parseRoster } from "../../src/hall/roster.ts";
import { temporaryFolder } from "../doubles/temporary-folder.ts";
import { ROOT } from "./page.ts";

const read = (name: string): string => readFileSync(join(ROOT, name), "utf8");
const dockerfile = read("Dockerfile");

it("the image's roster passes the check, and keeps its state on the image's volume", () => {
  const roster = parseRoster(read("config/hall.container.yml"), "/etc/hall/hall.yml", {});
  expect(roster.warnings).toEqual([]);
  expect(dockerfile).toContain(`VOLUME ["${roster.state}"]`);
});

it("what the Dockerfile copies is not ignored, and is there", () => {
  const ignored = read(".dockerignore").split("\n");
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, names = ""]) =>
    names.split(" "),
  );
  expect(copied.length).toBeGreaterThan(5);
  expect(copied.filter((name) => !ignored.includes(`!${name}`))).toEqual([]);
});

it("what the Dockerfile copies before it builds is all that the build needs", () => {
  const folder = temporaryFolder();
  const [, stage = ""] = /^FROM [^\n]* AS build\n(.*?)^RUN npm run build$/ms.exec(dockerfile) ?? [];
  for (const [, names = ""] of stage.matchAll(/^COPY (.+) \S+$/gm))
    for (const name of names.split(" ")) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  execFileSync("npm", ["run", "build"], { cwd: folder, stdio: "pipe" });
  const version = execFileSync(process.execPath, [join(folder, "dist/cli/main.js"), "--version"]).toString();
  expect(version.trim()).toBe(JSON.parse(read("package.json")).version);
});
