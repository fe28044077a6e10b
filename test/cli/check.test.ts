import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { documentOf, Household } from "./household.ts";

describe("hall check", () => {
  it("says where each slot's program is", async () => {
    const home = new Household();
    const program = join(home.folder, "agent");
    writeFileSync(program, "#!/bin/sh\n");
    chmodSync(program, 0o755);
    const roster = home.roster({ mine: { command: ["./agent"] }, node: { command: ["node"] } });
    const { code, stdout } = await home.run(["check", "--config", roster], {
      env: { PATH: "/bin:/usr/bin:/usr/local/bin" },
    });
    expect(stdout).toMatch(new RegExp(`^${roster}\n✓ mine {2}${program}\n✓ node {2}/.*/node\n$`));
    expect(code).toBe(0);
  });

  it("looks at the tokens file and at certificates: what cannot be used is told with its file, and is a failure", async () => {
    const home = new Household();
    const tokens = join(home.folder, "tokens.yml");
    writeFileSync(tokens, "tokens: []\n");
    chmodSync(tokens, 0o666);
    const tls = { cert: "./no.pem", key: "./no.key" };
    const roster = home.roster({ demo: { demo: true } }, { listen: { tcp: "127.0.0.1:0", tls } });
    const { code, stdout } = await home.run(["check", "--config", roster]);
    expect(stdout).toMatch(/✗ .*no\.pem: .*there is no such file/);
    expect(stdout).toMatch(/✗ .*tokens\.yml: .*can be written by other users; .*chmod/);
    expect(code).toBe(1);
    const json = documentOf(await home.run(["check", "--json", "--config", roster]));
    expect(json).toMatchObject({
      ok: false,
      files: [{ verdict: "fault" }, { file: tokens, verdict: "fault" }],
    });
  });

  it("says what is fetched at the first start", async () => {
    const home = new Household();
    const npx = join(home.folder, "npx");
    writeFileSync(npx, "#!/bin/sh\n");
    chmodSync(npx, 0o755);
    const roster = home.roster({ gemini: { agent: "gemini" } });
    const { stdout } = await home.run(["check", "--config", roster], { env: { PATH: home.folder } });
    expect(stdout).toMatch(/✓ gemini .*npx, which fetches @google\/gemini-cli@[\d.]+ when it first starts/);
  });

  it("says which variables of env_inherit are not set here, and takes that for no fault", async () => {
    const home = new Household();
    const roster = home.roster({ demo: { demo: true, env_inherit: ["SET", "UNSET", "UNSET_TOO"] } });
    const { code, stdout } = await home.run(["check", "--config", roster], { env: { SET: "1" } });
    expect(stdout).toMatch(/✓ demo .*, not set here: UNSET, UNSET_TOO\n/);
    expect(code).toBe(0);
  });

  it("reads modules without running them: the line of a syntax error is told, and the hall's Node must know the language", async () => {
    const home = new Household();
    const ran = join(home.folder, "ran");
    const module = (name: string, text: string): { module: string } => {
      writeFileSync(join(home.folder, name), text);
      return { module: `./${name}` };
    };
    const roster = home.roster({
      fine: module(
        "fine.mjs",
        `import { writeFileSync } from "node:fs";\nwriteFileSync(${JSON.stringify(ran)}, "");`,
      ),
      broken: module("broken.mjs", "\nconst = 4;\n"),
      absent: { module: "./absent.mjs" },
      typed: module("typed.ts", "export default 1 as number;"),
    });
    const { code, stdout } = await home.run(["check", "--config", roster]);
    expect(code).toBe(1);
    expect(stdout).toContain(`✓ fine    ${join(home.folder, "fine.mjs")}\n`);
    expect(stdout).toContain("✗ broken  SyntaxError: Unexpected token '=' (broken.mjs:2)\n");
    expect(stdout).toMatch(/✗ absent {2}.*There is no module .*absent\.mjs/);
    expect(stdout).toMatch(
      "typescript" in process.features && process.features.typescript
        ? /✓ typed/
        : /✗ typed {3}typed\.ts is TypeScript, which Node 20[\d.]* does not run; use Node 22\.18 or later, or compile it\.\n/,
    );
    expect(existsSync(ran)).toBe(false);
  });

  it("finds ./hall.yml", async () => {
    const home = new Household();
    const roster = home.roster({ demo: { demo: true } }, {}, join(home.work, "hall.yml"));
    expect((await home.run(["check"])).stdout).toContain(roster);
  });

  it("ends with 1 when a program or a folder is missing, and says which", async () => {
    const home = new Household();
    const roster = home.roster({
      demo: { demo: true },
      absent: { command: ["no-such-agent"] },
      lost: { demo: true, cwd: "./nowhere" },
    });
    const { code, stdout } = await home.run(["check", "--config", roster]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/✗ absent {2}There is no program "no-such-agent" on PATH/);
    expect(stdout).toMatch(/✗ lost .*nowhere.*does not exist/);
    expect(stdout).toMatch(/✓ demo/);
  });

  it("ends with 2 when a variable is not set, and names it", async () => {
    const home = new Household();
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the roster's.
    const roster = home.roster({ keyed: { demo: true, env: { KEY: "${SOME_KEY}" } } });
    const { code, stdout } = await home.run(["check", "--config", roster]);
    expect(code).toBe(2);
    expect(stdout).toMatch(/✗ keyed .*SOME_KEY/);
    expect((await home.run(["check", "--config", roster], { env: { SOME_KEY: "x" } })).code).toBe(0);
  });

  it("ends with 2 and all that is wrong with a roster, with its place", async () => {
    const home = new Household();
    const roster = home.roster({ one: { comand: ["x"] } }, { sate: "./here" });
    const { code, stderr } = await home.run(["check", "--config", roster]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/hall\.yml:1:\d+: slots\.one\.comand: .*did you mean command\?/);
    expect(stderr).toMatch(/hall\.yml:1:\d+: sate: /);
  });

  it("says all of it as JSON", async () => {
    const home = new Household();
    const good = home.roster({ "2demo": { demo: true, concurrency: 5 } });
    expect(documentOf(await home.run(["check", "--json", "--config", good]))).toEqual({
      file: good,
      ok: true,
      faults: [],
      warnings: [expect.objectContaining({ path: "slots.2demo.concurrency", line: 1 })],
      files: [],
      slots: [{ name: "2demo", title: "2demo", program: expect.any(String) }],
    });
    const bad = home.roster({ one: { comand: ["x"] } }, {}, join(home.folder, "bad.yml"));
    const finished = await home.run(["check", "--json", "--config", bad]);
    expect(finished.code).toBe(2);
    expect(documentOf(finished)).toMatchObject({
      ok: false,
      faults: expect.arrayContaining([expect.objectContaining({ path: "slots.one.comand" })]),
    });
  });

  it("ends with 2 when there is no roster, and says where one is looked for", async () => {
    const { code, stderr } = await new Household().run(["check"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/looked for .*hall\.yml.*hall init writes one/);
  });

  it("starts nothing", async () => {
    const home = new Household();
    const trace = join(home.folder, "ran");
    const roster = home.roster({ mine: { command: ["/bin/sh", "-c", `touch ${trace}`] } });
    await home.run(["check", "--config", roster]);
    expect(() => writeFileSync(trace, "", { flag: "wx" })).not.toThrow();
  });
});
