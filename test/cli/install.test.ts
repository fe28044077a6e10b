import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { systemdUnit } from "../../src/cli/systemd-unit.ts";
import { temporaryFolder } from "../doubles/temporary-folder.ts";
import { DEMO, Household } from "./household.ts";

const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;

/** What systemd says is wrong with a unit: nothing, when it is right. */
function systemdOn(unit: string): string {
  const file = join(temporaryFolder(), "hall.service");
  writeFileSync(file, unit);
  const { stdout, stderr, status } = spawnSync("systemd-analyze", ["verify", "--user", "--man=no", file], {
    encoding: "utf8",
    env: { ...process.env, XDG_RUNTIME_DIR: temporaryFolder() },
  });
  return status === 0 ? "" : `${stdout}${stderr}`;
}

/** As other units of this machine are not our concern. */
const aboutUs = (said: string): string[] => said.split("\n").filter((line) => line.includes("hall.service"));

describe("hall install", () => {
  it("prints a unit that runs this hall with its roster", async () => {
    const home = new Household();
    const roster = home.roster(DEMO);
    const { code, stdout } = await home.run(["install", "--config", roster]);
    expect(code).toBe(0);
    const program = `"${process.execPath}" "\\S+/dist/cli/main\\.js"`;
    expect(stdout).toMatch(new RegExp(`^ExecStart=${program} "serve" "--config" "${roster}"$`, "m"));
    expect(stdout).toContain(`Environment="PATH=${home.env.PATH}"`);
    if (hasSystemd) expect(aboutUs(systemdOn(stdout))).toEqual([]);
  });

  it("writes it where systemd looks, says what comes next, and leaves one with other lines as it is", async () => {
    const home = new Household();
    home.ownRoster(DEMO);
    const file = join(home.folder, "config/systemd/user/hall.service");
    const first = await home.run(["install", "--write"]);
    expect(first.stdout).toContain(`Wrote ${file}.\nNext:  systemctl --user daemon-reload`);
    const { stdout: unit } = await home.run(["install"]);
    expect(readFileSync(file, "utf8")).toBe(unit);
    expect(await home.run(["install", "--write"])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`${file} says just that already.`),
    });
    writeFileSync(file, "[Service]\n");
    expect(await home.run(["install", "--write"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`${file} is there already, with other lines, and stays as it is`),
    });
    expect(readFileSync(file, "utf8")).toBe("[Service]\n");
  });

  it("makes no unit for a roster that its hall would refuse", async () => {
    const home = new Household();
    const { code, stdout, stderr } = await home.run(["install", "--config", home.roster({})]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("slots");
  });

  it.skipIf(!hasSystemd)("its words are systemd's, whatever stands in the paths", () => {
    // The program's own name may have neither quotes nor backslashes, systemd says.
    const folder = join(temporaryFolder(), "a 100%h $HOME é");
    mkdirSync(folder);
    const node = join(folder, "node");
    writeFileSync(node, "#!/bin/sh\n", { mode: 0o755 });
    const odd = join(folder, `"b" 'c' \\ \n`);
    const parts = { node, program: join(odd, "main.js"), roster: join(odd, "hall.yml"), path: odd };
    expect(aboutUs(systemdOn(systemdUnit(parts)))).toEqual([]);
    expect(aboutUs(systemdOn(systemdUnit({ ...parts, node: `${node}-not` })))).not.toEqual([]);
  });
});
