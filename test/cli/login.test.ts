import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { agentCommand } from "../doubles/scripted-agent/command.ts";
import type { JsonObject } from "../doubles/scripted-agent/ways.ts";
import { Household } from "./household.ts";
import { atTerminal, hasTerminals } from "./terminal.ts";

const quoted = (words: readonly string[]): string =>
  words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");

/** An agent that with --login takes a code on stdin, and says where it is; and speaks ACP otherwise. */
function program(home: Household, authMethods: JsonObject[]): string {
  const file = join(home.folder, "agent.sh");
  const lines = [
    "#!/bin/sh",
    'for last; do :; done; case "$last" in',
    '--login) echo "In $(pwd) for $WHO with [$SECRET], $FLOW; the code:"; read code; [ "$code" = good ];;',
    `*) exec ${quoted(agentCommand({ authMethods }))};;`,
    "esac",
  ];
  writeFileSync(file, `${lines.join("\n")}\n`, { mode: 0o755 });
  return file;
}

const TERMINAL = {
  id: "code",
  name: "By code",
  type: "terminal",
  args: ["--login"],
  env: { FLOW: "device" },
};
const BROWSER = { id: "browser", name: "In a browser" };
const KEY = { id: "key", name: "A key", _meta: { "api-key": { provider: "x" } } };

function houseOf(authMethods: JsonObject[]): { home: Household; roster: string } {
  const home = new Household();
  const slot = { command: [program(home, authMethods)], args: ["--acp"], cwd: "./work", env: { WHO: "ann" } };
  return { home, roster: home.roster({ agent: slot }) };
}

describe("hall login", () => {
  it("runs the agent's own login in the slot's folder and environment, and passes its end on", async () => {
    const { home, roster } = houseOf([KEY, TERMINAL]);
    const env = { SECRET: "of the shell" };
    const good = await home.run(["login", "agent", "--config", roster], { stdin: "good\n", env });
    expect(good.stdout).toContain(`In ${home.work} for ann with [], device; the code:`);
    expect(good.stdout).toContain(
      'Logged in. The next agent that starts in the slot finds it:  hall prompt --slot agent "hello"',
    );
    expect(good.code).toBe(0);
    const bad = await home.run(["login", "agent", "--config", roster], { stdin: "bad\n" });
    expect([bad.code, bad.stderr]).toEqual([1, expect.stringContaining("ended with exit code 1")]);
  });

  it("runs behind a launcher that stays here, and not for an agent elsewhere, which is logged in there", async () => {
    const home = new Household();
    const command = [program(home, [TERMINAL])];
    const roster = home.roster({
      here: { command, launch: ["env", "WHO=bob"] },
      far: { command, launch: ["ssh", "box"] },
    });
    const here = await home.run(["login", "here", "--config", roster], { stdin: "good\n" });
    expect(here.stdout).toContain("for bob with");
    const far = await home.run(["login", "far", "--config", roster]);
    expect([far.code, far.stderr]).toEqual([2, expect.stringContaining("runs where ssh leads")]);
  });

  it("lists several logins, takes the one that is named, and asks at a terminal", async () => {
    const { home, roster } = houseOf([TERMINAL, BROWSER, KEY]);
    const lost = await home.run(["login", "agent", "--config", roster]);
    expect(lost.code).toBe(2);
    expect(lost.stderr).toContain("  hall login agent --method code   (By code)\n");
    expect(lost.stderr).not.toContain("--method key");
    const named = await home.run(["login", "agent", "--method", "browser", "--config", roster]);
    expect([named.code, named.stdout]).toEqual([0, expect.stringContaining("Logged in.")]);
    const wrong = await home.run(["login", "agent", "--method", "key", "--config", roster]);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('has no login "key"')]);
    if (!hasTerminals) return;
    const asked = atTerminal(home, ["login", "agent", "--config", roster]);
    await asked.says("Which one? (1 to 2)");
    asked.child.stdin.write("1\n");
    await asked.says("the code:");
    asked.child.stdin.write("good\n");
    await asked.says("Logged in.");
    expect((await asked.finished).code).toBe(0);
  });

  it("says what else to do where there is none", async () => {
    const none = houseOf([]);
    const { code, stderr } = await none.home.run(["login", "agent", "--config", none.roster]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/tells of no login.*env_inherit: \[/s)]);
    const key = houseOf([KEY]);
    const said = await key.home.run(["login", "agent", "--config", key.roster]);
    expect([said.code, said.stderr]).toEqual([1, expect.stringContaining("takes a key (A key)")]);
  });

  it("runs the login of the program behind an adapter", async () => {
    const home = new Household();
    const bin = join(home.folder, "bin");
    const trace = join(home.folder, "trace");
    mkdirSync(bin);
    writeFileSync(join(bin, "codex"), `#!/bin/sh\necho "$@" > ${trace}\n`, { mode: 0o755 });
    const roster = home.roster({ codex: { adapter: "codex" } });
    const { code } = await home.run(["login", "codex", "--config", roster], { env: { PATH: `${bin}:/bin` } });
    expect([code, readFileSync(trace, "utf8")]).toEqual([0, "login\n"]);
  });

  it("refuses inside an agent, and knows no slot that is not there", async () => {
    const { home, roster } = houseOf([TERMINAL]);
    const inside = await home.run(["login", "agent", "--config", roster], { env: { HALL_PROCESS: "a.1" } });
    expect(inside.code).toBe(4);
    const unknown = await home.run(["login", "claude", "--config", roster]);
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining("there are: agent")]);
  });
});
