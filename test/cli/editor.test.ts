import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HALL, Household } from "./household.ts";

const start = [HALL, "acp"];

describe("hall editor", () => {
  it("prints JSON for Zed, with full paths, and where it goes on stderr", async () => {
    const { code, stdout, stderr } = await new Household().run(["editor", "zed"]);
    expect(JSON.parse(stdout)).toEqual({
      agent_servers: { Hall: { type: "custom", command: process.execPath, args: start, env: {} } },
    });
    expect(stderr).toContain("settings");
    expect(code).toBe(0);
  });

  it("prints JSON for JetBrains", async () => {
    const { stdout } = await new Household().run(["editor", "jetbrains", "--slot", "claude"]);
    expect(JSON.parse(stdout)).toEqual({
      agent_servers: { Hall: { command: process.execPath, args: [...start, "--slot", "claude"], env: {} } },
    });
  });

  it("prints JSON for acpx, a command line in one string", async () => {
    const { stdout } = await new Household().run(["editor", "acpx", "--config", "./it's here.yml"]);
    const { agents } = JSON.parse(stdout);
    expect(agents.hall.command).toMatch(/ acp --config '.*it'\\''s here\.yml'$/);
  });

  it("prints Lua for Neovim", async () => {
    const { stdout } = await new Household().run(["editor", "neovim"]);
    expect(stdout).toContain(
      `{ ${[process.execPath, ...start].map((word) => JSON.stringify(word)).join(", ")} }`,
    );
  });

  it("puts the full path of a roster in", async () => {
    const home = new Household();
    const { stdout } = await home.run(["editor", "zed", "--config", "../hall.yml"]);
    expect(JSON.parse(stdout).agent_servers.Hall.args.at(-1)).toBe(join(home.folder, "hall.yml"));
  });

  it("warns that a roster in this folder is not read by an editor", async () => {
    const home = new Household();
    home.roster({ demo: { demo: true } }, {}, join(home.work, "hall.yml"));
    expect((await home.run(["editor", "zed"])).stderr).toContain("does not read ./hall.yml");
    expect((await home.run(["editor", "zed", "--config", "hall.yml"])).stderr).not.toContain("does not read");
  });

  it("ends with 2 for an editor that it does not know, and lists those that it knows", async () => {
    const { code, stderr } = await new Household().run(["editor", "ed"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/zed, jetbrains, acpx, neovim/);
  });

  it("prints what starts a hall: the snippet, run as it is, is an agent", async () => {
    const home = new Household();
    const roster = home.roster({ demo: { demo: true } });
    const { stdout } = await home.run(["editor", "zed", "--config", roster]);
    const { command, args } = JSON.parse(stdout).agent_servers.Hall;
    const editor = home.editorAt(home.startProgram(command, args));
    expect((await editor.initialize()).agentInfo?.name).toBe("hall");
  });
});
