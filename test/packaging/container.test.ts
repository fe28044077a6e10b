import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parseRoster } from "../../src/hall/roster.ts";
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
