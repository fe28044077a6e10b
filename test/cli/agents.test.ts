import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { knownAgentIds } from "../../src/agents/registry.ts";
import { documentOf, Household } from "./household.ts";

/** A PATH with programs that do nothing. */
function pathWith(home: Household, ...names: string[]): string {
  const folder = join(home.folder, "bin");
  mkdirSync(folder);
  for (const name of names) writeFileSync(join(folder, name), "#!/bin/sh\n", { mode: 0o755 });
  return folder;
}

describe("hall agents", () => {
  it("lists all that are known, and how each would be run here", async () => {
    const home = new Household();
    const PATH = pathWith(home, "claude", "npx", "goose");
    const { agents } = documentOf(await home.run(["agents", "--json"], { env: { PATH } }));
    if (!Array.isArray(agents)) throw new Error("A list.");
    expect(agents.map(({ id }) => id)).toEqual(knownAgentIds());
    const of = (id: string) => agents.find((agent) => agent.id === id);
    expect(of("claude-acp")).toMatchObject({
      way: "adapter",
      program: join(PATH, "claude"),
      version: "0.49.0",
    });
    expect(of("gemini")).toMatchObject({ way: "fetched", program: join(PATH, "npx") });
    expect(of("goose")).toMatchObject({ way: "installed", program: join(PATH, "goose"), package: null });
    expect(agents.filter(({ way }) => way === "missing").every(({ program }) => program === null)).toBe(true);
    const table = await home.run(["agents", "list"], { env: { PATH } });
    expect(table.stdout).toMatch(/^ID +AGENT +VERSION +HERE\n/);
    expect(table.stdout).toMatch(/\nclaude-acp +Claude Code +0\.49\.0 +\S+claude, by an adapter of hall's\n/);
  });

  it("adds one to the roster, which stays as it is otherwise, its mode and links too", async () => {
    const home = new Household();
    const env = { PATH: pathWith(home, "gemini", "npx") };
    const text = "# Mine.\nslots:\n    demo: { demo: true }   # first\n";
    const file = join(home.folder, "real.yml");
    writeFileSync(file, text);
    chmodSync(file, 0o640);
    symlinkSync(file, join(home.work, "hall.yml"));
    const { code, stdout } = await home.run(["agents", "add", "gemini", "--name", "gem"], { env });
    expect(code).toBe(0);
    expect(stdout).toContain(`Added slot gem (Gemini CLI) to ${file}.`);
    expect(stdout).toContain("hall login gem");
    expect(readFileSync(file, "utf8")).toMatch(
      /^# Mine\.\nslots:\n {4}demo: \{ demo: true \} {3}# first\n {4}# .*\n {4}gem:\n {8}agent: gemini\n/,
    );
    expect(statSync(file).mode & 0o777).toBe(0o640);
    expect(readdirSync(home.folder)).not.toContain("real.yml.new");
    const checked = await home.run(["check"], { env });
    expect(checked.stdout).toContain("✓ gem");
    const again = await home.run(["agents", "add", "gemini", "--name", "gem"], { env });
    expect([again.code, again.stderr]).toEqual([
      2,
      expect.stringContaining("has a slot gem already; --name"),
    ]);
  });

  it("writes a roster where there is none, and touches none that is wrong", async () => {
    const home = new Household();
    const env = { PATH: pathWith(home, "npx") };
    const { code, stdout } = await home.run(["agents", "add", "gemini"], { env });
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/Its first start fetches @google\/gemini-cli@/),
    ]);
    expect(readFileSync(join(home.work, "hall.yml"), "utf8")).toMatch(
      /demo: true[\s\S]*agent: gemini[\s\S]*init_timeout: 3m/,
    );
    const wrong = join(home.folder, "wrong.yml");
    writeFileSync(wrong, "slots: { a: { demo: true, sate: 1 } }\n");
    const refused = await home.run(["agents", "add", "gemini", "--config", wrong], { env });
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("slots.a.sate")]);
    expect(readFileSync(wrong, "utf8")).toBe("slots: { a: { demo: true, sate: 1 } }\n");
    const unknown = await home.run(["agents", "add", "gemni"], { env });
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining("hall agents list")]);
  });
});
