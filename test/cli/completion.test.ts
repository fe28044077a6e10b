import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Argument, Command, Option } from "commander";
import { describe, expect, it } from "vitest";
import { type Completion, candidates } from "../../src/cli/completion/candidates.ts";
import { DEMO, documentOf, HALL, Household } from "./household.ts";

const KNOWN = {
  slots: async () => [
    { value: "claude", about: "Claude Code" },
    { value: "codex", about: "Codex" },
  ],
  sessions: async () => [{ value: "hs_1", about: "hello" }],
  agents: async () => [{ value: "gemini", about: "Gemini" }],
};

const tree = (): Command =>
  new Command("top")
    .option("--slot <slot>", "the slot")
    .option("--config <file>", "the roster")
    .option("--cwd <folder>", "the folder")
    .option("-q, --quiet", "says less")
    .addOption(new Option("--format <format>", "how").choices(["pretty", "plain"]))
    .addCommand(
      new Command("show")
        .summary("shows one")
        .argument("<session>", "which")
        .addArgument(new Argument("[part]", "of it").choices(["head", "tail"])),
    )
    .addCommand(new Command("follow").summary("follows").argument("<slot-or-session...>", "which"));

async function next(...words: string[]): Promise<string[] | string> {
  const completion: Completion = await candidates(tree(), words, KNOWN);
  return typeof completion === "string" ? completion : completion.map(({ value }) => value);
}

describe("what could come next", () => {
  it.each<[string, string[], string[] | string]>([
    ["subcommands", [""], ["show", "follow"]],
    ["those that begin so", ["sh"], ["show"]],
    ["options", ["--"], ["--slot", "--config", "--cwd", "--quiet", "--format", "--help"]],
    ["options of the subcommand", ["show", "-"], ["--help"]],
    ["an option's value, by its name in the help", ["--slot", "c"], ["claude", "codex"]],
    ["a file", ["--config", "x"], "files"],
    ["a folder", ["--cwd", ""], "folders"],
    ["an option's choices", ["--format", "pl"], ["plain"]],
    ["behind a value", ["--slot", "claude", "sh"], ["show"]],
    ["behind an option without one", ["-q", "f"], ["follow"]],
    ["an argument", ["show", ""], ["hs_1"]],
    ["the argument behind it", ["show", "hs_1", "t"], ["tail"]],
    ["nothing, when all arguments stand there", ["show", "hs_1", "tail", ""], []],
    ["the same again, where there may be several", ["follow", "claude", ""], ["claude", "codex", "hs_1"]],
    ["no option behind --", ["follow", "--", "--"], []],
    ["nothing for a value that is anybody's guess", ["--nobody", "x", ""], []],
  ])("%s", async (_what, words, expected) => {
    expect(await next(...words)).toEqual(expected);
  });
});

/** A home whose PATH has a hall that completes, and otherwise says what it was run with. */
function homeWithHall(): { home: Household; env: NodeJS.ProcessEnv } {
  const home = new Household();
  home.ownRoster({ ...DEMO, second: { demo: true, title: "The second" } });
  const bin = join(home.folder, "bin");
  mkdirSync(bin);
  const script = `#!/bin/sh\n[ "$1" = completion ] && exec '${process.execPath}' '${HALL}' "$@"\necho "ran:$*:"\n`;
  writeFileSync(join(bin, "hall"), script, { mode: 0o755 });
  return { home, env: { ...home.env, PATH: `${bin}:${home.env.PATH}` } };
}

const has = (shell: string): boolean => spawnSync(shell, ["--version"]).status === 0;
const linesOf = (said: Buffer): string[] => said.toString().trimEnd().split("\n");

describe("hall completion", () => {
  it("knows the slots of the roster where no hall runs, and is silent where nothing can be known", async () => {
    const { home } = homeWithHall();
    const slots = await home.run(["completion", "fish", "--", "prompt", "--slot", ""]);
    expect(slots.stdout).toBe("demo\nsecond\tThe second\n");
    const broken = join(home.folder, "broken.yml");
    writeFileSync(broken, "slots: 3\n");
    const none = await home.run(["completion", "fish", "--", "try", "--config", broken, ""]);
    expect(none).toMatchObject({ code: 0, stdout: "", stderr: "" });
  });

  it("knows the sessions of the hall that runs", async () => {
    const home = new Household();
    home.ownRoster({ one: { ways: {} } });
    const serving = home.start(["serve"]).read();
    await serving.says("The hall is open.");
    const prompted = await home.run(["prompt", "--json", "hello\u001b[2J"]);
    const { sessionId } = documentOf(prompted);
    const { stdout } = await home.run(["completion", "fish", "--", "sessions", "show", "hs_"]);
    expect(stdout).toMatch(new RegExp(`^${sessionId}\thello`));
    expect(stdout).not.toContain("\u001b");
    await home.run(["stop"]);
    await serving.finished;
  });

  it.skipIf(!has("bash"))("completes in bash", () => {
    const { home, env } = homeWithHall();
    const complete = (...words: string[]) => {
      const line = `source <(hall completion bash); COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _hall; printf '%s\\n' "\${COMPREPLY[@]}"`;
      return linesOf(
        execFileSync("bash", ["-c", line, "bash", ...words], { env, cwd: home.work, stdio: "pipe" }),
      );
    };
    expect(complete("hall", "per")).toEqual(["permissions", "permit"]);
    expect(complete("hall", "prompt", "--slot", "s")).toEqual(["second"]);
    writeFileSync(join(home.work, "mine.yml"), "");
    expect(complete("hall", "check", "--config", "m")).toEqual(["mine.yml"]);
  });

  it.skipIf(!has("fish"))("completes in fish, and says what each is", () => {
    const { home, env } = homeWithHall();
    const complete = (line: string) =>
      linesOf(
        execFileSync("fish", ["-N", "-c", "hall completion fish | source; complete -C $argv[1]", line], {
          env,
          cwd: home.work,
        }),
      );
    expect(complete("hall per")).toEqual(["permissions", "permit"]);
    expect(complete("hall sessions sh")).toEqual([expect.stringMatching(/^show\t.+/)]);
    expect(complete("hall prompt --slot ")).toEqual(["demo", "second\tThe second"]);
  });

  it.skipIf(!has("zsh"))("completes in zsh, at its own prompt", () => {
    const { home, env } = homeWithHall();
    const script = [
      "zmodload zsh/zpty",
      "zpty z zsh -f -i",
      `zpty -w z $'autoload -Uz compinit; compinit -u -D; source <(hall completion zsh); print REA\\'\\'DY'`,
      "zpty -r -m z said '*READY*'",
      `zpty -w z $'hall chec\\t--conf\\tx'`,
      "zpty -r -m z said '*ran:*:*'",
      'print -r -- "$said"',
      `zpty -w z $'hall prompt --slot sec\\thello'`,
      "zpty -r -m z said '*ran:*:*'",
      'print -r -- "$said"',
    ].join("\n");
    const said = execFileSync("zsh", ["-f", "-c", script], { env, cwd: home.work }).toString();
    expect(said).toContain("ran:check --config x:");
    expect(said).toContain("ran:prompt --slot second hello:");
  });
});
