import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { realDisk } from "../../src/ground/disk.ts";
import { DEMO, Household } from "./household.ts";

describe("hall token", () => {
  it("makes tokens that are printed once, lists them without, and takes them back", async () => {
    const home = new Household();
    const config = home.roster({ ...DEMO, other: { demo: true } });
    const run = (...args: string[]) => home.run(["token", ...args, "--config", config]);
    const added = await run("add", "ann", "--slots", "demo", "--scopes", "observe, approve");
    expect(added).toMatchObject({ code: 0, stdout: expect.stringMatching(/^hall_[\w-]{43}\n$/) });
    const file = join(home.folder, "tokens.yml");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, "utf8")).not.toContain(added.stdout.trim());
    expect(await run("add", "ann")).toMatchObject({ code: 2, stderr: expect.stringContaining("already") });
    await run("add", "ben", "--json");
    expect((await run("list")).stdout).toMatch(
      /^NAME +SCOPES +SLOTS +CREATED\nann +observe,approve +demo +\d{4}-\d\d-\d\d\nben +prompt,approve +all /,
    );
    expect(await run("revoke", "ann")).toMatchObject({ code: 0, stdout: "The token of ann is revoked.\n" });
    expect(await run("revoke", "ann")).toMatchObject({ code: 2 });
    expect(JSON.parse((await run("list", "--json")).stdout)).toMatchObject({
      tokens: [{ name: "ben", slots: null }],
    });
  });

  it("says what is wrong with a wish, and refuses to run inside an agent", async () => {
    const home = new Household();
    const config = home.roster(DEMO);
    const run = (args: string[], env = {}) => home.run(["token", ...args, "--config", config], { env });
    expect((await run(["add", "a", "--scopes", "root"])).stderr).toContain(
      'There is no scope "root"; there are: observe, prompt, approve, admin.',
    );
    expect((await run(["add", "a", "--slots", "nope"])).stderr).toContain("the roster has: demo");
    expect(await run(["add", "a"], { HALL_PROCESS: "x.1" })).toMatchObject({ code: 4 });
    expect(realDisk.exists(join(home.folder, "tokens.yml"))).toBe(false);
    writeFileSync(join(home.folder, "tokens.yml.new"), "");
    expect((await run(["add", "a"])).stderr).toContain("is being changed by another");
  });

  it("lets a command in over TCP, by $HALL_TOKEN or a file, and tells who has none", async () => {
    const home = new Household();
    const config = home.roster(DEMO, { listen: { tcp: "127.0.0.1:0" } });
    await home.serve(config);
    const tcp = home.halls[0]?.addresses.tcp ?? "";
    const token = (await home.run(["token", "add", "ann", "--scopes", "admin", "--config", config])).stdout;
    const file = join(home.work, "token");
    writeFileSync(file, token);
    const connect = ["--connect", `tcp://${tcp}`];
    const status = await home.run(["status", ...connect, "--token-file", file]);
    expect(status).toMatchObject({ code: 0, stdout: expect.stringContaining("demo") });
    const prompt = await home.run(["prompt", ...connect, "hello"], { env: { HALL_TOKEN: token } });
    expect(prompt.code).toBe(0);
    const wrong = await home.run(["ping", ...connect], { env: { HALL_TOKEN: "hall_nope" } });
    expect(wrong).toMatchObject({ code: 4, stderr: expect.stringContaining("none of this hall's") });
    expect(wrong.stderr).not.toContain("hall_nope");
    const { acp, editor } = home.edit(...connect, "--token-file", file);
    await editor.initialize();
    expect((await editor.list()).sessions).toHaveLength(1);
    editor.end();
    expect((await acp.finished).code).toBe(0);
  });

  it("that is revoked ends a hall acp: it does not come back again and again", async () => {
    const home = new Household();
    const config = home.roster(DEMO, { listen: { tcp: false, http: "127.0.0.1:0" } });
    await home.serve(config);
    const token = (await home.run(["token", "add", "ann", "--config", config])).stdout.trim();
    const acp = home.start(["acp", "--connect", `ws://${home.halls[0]?.addresses.http}`], {
      HALL_TOKEN: token,
    });
    const editor = home.editorAt(acp);
    await editor.initialize();
    await home.run(["token", "revoke", "ann", "--config", config]);
    const { code, stderr } = await acp.finished;
    expect(code).toBe(1);
    expect(stderr).toContain("it was revoked");
    expect(stderr).not.toContain(token);
  });
});
