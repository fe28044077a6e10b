import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Household } from "./household.ts";

const COMMANDS = ["init", "check", "serve", "acp", "editor", "prompt", "ping", "status", "stop"];

describe("hall", () => {
  it("lists its commands", async () => {
    const { code, stdout } = await new Household().run(["--help"]);
    expect(code).toBe(0);
    for (const command of COMMANDS) expect(stdout).toMatch(new RegExp(`^ {2}${command} `, "m"));
  });

  it.each(COMMANDS)("tells how %s is used, with an example", async (command) => {
    const home = new Household();
    const { code, stdout, stderr } = await home.run([command, "--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(new RegExp(`^Usage: hall ${command} `));
    expect(stdout).toMatch(new RegExp(`Example[^\\n]*:\\n(.*\\n)* {2}.*hall ${command}`));
  });

  it("tells its version", async () => {
    const manifest = JSON.parse(readFileSync(join(import.meta.dirname, "..", "..", "package.json"), "utf8"));
    expect((await new Household().run(["--version"])).stdout).toBe(`${manifest.version}\n`);
  });

  it("ends with 2 for a word that is no command, and suggests one", async () => {
    const { code, stderr } = await new Household().run(["chekc"]);
    expect(code).toBe(2);
    expect(stderr).toContain("Did you mean check?");
  });

  it("ends with 2 and its help when it is told nothing", async () => {
    const { code, stderr } = await new Household().run([]);
    expect(code).toBe(2);
    expect(stderr).toContain("Usage: hall");
  });

  it("does not take a property of every object for a command", async () => {
    expect((await new Household().run(["constructor"])).code).toBe(2);
    expect((await new Household().run(["__proto__"])).code).toBe(2);
  });
});
