import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { knownAgentIds } from "../../src/agents/registry.ts";
import { parseRoster } from "../../src/hall/roster.ts";
import { Household } from "./household.ts";

/** A folder of programs that do nothing, as a PATH. */
function pathWith(home: Household, ...names: string[]): string {
  const folder = join(home.folder, "bin");
  mkdirSync(folder);
  for (const name of names) {
    writeFileSync(join(folder, name), "#!/bin/sh\n");
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
}

describe("hall init", () => {
  it("writes a roster that passes hall check, the demo agent first", async () => {
    const home = new Household();
    const PATH = pathWith(home, "opencode", "goose");
    const { code, stdout } = await home.run(["init"], { env: { PATH } });
    const file = join(home.work, "hall.yml");
    expect(stdout).toContain(`Wrote ${file} with 3 slots: demo, opencode, goose.`);
    expect(code).toBe(0);
    const checked = await home.run(["check"], { env: { PATH } });
    expect(checked.code).toBe(0);
    expect(checked.stdout).toContain(`✓ opencode  ${join(PATH, "opencode")}`);
  });

  it("drives a CLI that speaks no ACP by an adapter of hall's, and fetches nothing", async () => {
    const home = new Household();
    const PATH = pathWith(home, "claude", "codex", "pi", "npx");
    const { stdout } = await home.run(["init"], { env: { PATH, ANTHROPIC_API_KEY: "sk-very-secret" } });
    expect(stdout).toContain(`Claude Code is driven by hall's own adapter, as ${join(PATH, "claude")}.`);
    const text = readFileSync(join(home.work, "hall.yml"), "utf8");
    expect(text).toMatch(/ {2}claude:\n {4}adapter: claude-code\n/);
    expect(text).toMatch(/ {2}codex:\n {4}adapter: codex\n/);
    expect(text).toMatch(/ {2}pi:\n {4}adapter: pi\n/);
    expect(text).toContain("# agent: claude-acp\n");
    expect(text).toContain("env_inherit: [ANTHROPIC_API_KEY]");
    expect(text).not.toContain("sk-very-secret");
  });

  it("writes an agent to begin with, and its slot; a roster that is there is told what to add", async () => {
    const home = new Household();
    const { code, stdout } = await home.run(["init", "--agent"]);
    expect(stdout).toContain("hall agent agent.mjs");
    expect(stdout).toContain('hall prompt --slot agent "hello"');
    expect(stdout).toContain("2 slots: agent, demo.");
    expect(code).toBe(0);
    const checked = await home.run(["check"]);
    expect(checked.stdout).toContain(`✓ agent`);
    const again = await home.run(["init", "--agent"]);
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining("agent.mjs is there already")]);
    rmSync(join(home.work, "agent.mjs"));
    const beside = await home.run(["init", "--agent"]);
    expect(beside.code).toBe(2);
    expect(beside.stderr).toContain("module: ./agent.mjs");
    expect(readFileSync(join(home.work, "agent.mjs"), "utf8")).toContain("defineAgent");
  });

  it("leaves a file alone that is there", async () => {
    const home = new Household();
    const file = join(home.work, "hall.yml");
    writeFileSync(file, "mine");
    const { code, stderr } = await home.run(["init"]);
    expect(code).toBe(2);
    expect(stderr).toContain("stays as it is");
    expect(readFileSync(file, "utf8")).toBe("mine");
  });

  it("writes where it is told, and makes the folder", async () => {
    const home = new Household();
    const file = join(home.folder, "config", "hall", "hall.yml");
    const { code, stdout } = await home.run(["init", "--config", file]);
    expect(code).toBe(0);
    expect(stdout).toContain(`hall serve --config ${file}`);
    expect(statSync(file).mode & 0o022).toBe(0);
    expect((await home.run(["check", "--config", file])).code).toBe(0);
  });

  it("can write every agent that is known", async () => {
    const { knownAgents } = await import("../../src/agents/registry.ts");
    const { rosterText } = await import("../../src/cli/roster-text.ts");
    const found = knownAgents.map((agent) => ({ agent, program: "/bin/x", fetches: "x@1" }));
    const text = rosterText(found, { ANTHROPIC_API_KEY: "x" });
    const { slots, warnings } = parseRoster(text, "/hall.yml", {}, { knownAgents: knownAgentIds() });
    expect(slots).toHaveLength(knownAgents.length + 1);
    expect(warnings).toEqual([]);
  });
});
