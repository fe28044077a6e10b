import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Step, script } from "../doubles/scripted-agent/script.ts";
import type { Ways } from "../doubles/scripted-agent/ways.ts";
import { documentOf, Household, leftOf } from "./household.ts";

const call = { id: "call-1", title: "Something", status: "pending" };
const LONG = script({ say: "one, " }, { wait: "cancel" });
interface Told {
  ok: boolean;
  agent: unknown;
  prompts: number;
  checks: { id: string; verdict: string; found: string; advice: string | null }[];
}

/** Where its temporary folders are. */
function folderOf(home: Household): string {
  const folder = join(home.folder, "tmp");
  mkdirSync(folder, { recursive: true });
  return folder;
}

async function tried(
  home: Household,
  name: string,
  ways: Ways,
  ...args: string[]
): Promise<Told & { code: unknown }> {
  const roster = home.roster(
    { [name]: { ways: { stateFile: join(home.folder, `${name}.state`), ...ways } } },
    { cancel_grace: "1s" },
    join(home.folder, `${name}.yml`),
  );
  const env = { TMPDIR: folderOf(home) };
  const finished = await home.run(["try", name, "--config", roster, "--json", "--timeout", "5s", ...args], {
    env,
  });
  expect(finished.stderr).toBe("");
  const { ok, agent, prompts, checks } = documentOf(finished) as unknown as Told;
  return { ok, agent, prompts, checks, code: finished.code };
}

const wrongIn = ({ checks }: Told): string[] =>
  checks.flatMap(({ id, verdict }) =>
    verdict === "ok" || verdict === "not tried" ? [] : [`${id}: ${verdict}`],
  );

describe("hall try", () => {
  it("finds what is wrong with an agent, and nothing wrong with one that is well", async () => {
    const home = new Household();
    const late: Step = {
      late: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "P.S." } },
    };
    const [good, deviant, stubborn] = await Promise.all([
      tried(home, "good", {}, "--long-prompt", LONG),
      tried(
        home,
        "deviant",
        {
          stdoutNoise: { atStart: ["Hello!"] },
          cancelAnswer: "end_turn",
          resumeMissing: true,
          loadReplays: false,
        },
        ...["--prompt", script({ say: "so" }, late), "--long-prompt", LONG],
        ...["--tool-prompt", script({ ask: { tool: call } })],
      ),
      tried(home, "stubborn", { ignoreEof: true, grandchild: { setsid: true } }, "--no-prompt"),
    ]);
    expect(wrongIn(good)).toEqual([]);
    expect(good).toMatchObject({ code: 0, ok: true, prompts: 7, agent: { name: "scripted-agent" } });
    expect(wrongIn(deviant)).toEqual([
      "stdout: deviates",
      "turn-late: deviates",
      "tool-announced: deviates",
      "cancel: deviates",
      "cancel-question: deviates",
      "load: deviates",
      "resume: deviates",
    ]);
    expect(deviant).toMatchObject({ code: 1, ok: false });
    expect(wrongIn(stubborn)).toEqual(["eof: deviates", "left-behind: noted"]);
    expect(stubborn.checks.find(({ id }) => id === "left-behind")?.found).toContain("sleep 180");
    expect(stubborn.prompts).toBe(0);
    // Each agent was ended, with what it had started.
    expect(leftOf(home)).toEqual([]);
    expect(readdirSync(folderOf(home))).toEqual([]);
    expect(home.halls).toEqual([]);
  });

  it("says before it begins what it sends, and tells in words what deviates, what a hall makes of it and how to mend it", async () => {
    const home = new Household();
    const roster = home.roster({ mine: { ways: { exitAtStart: { code: 3 } } } });
    const { code, stdout, stderr } = await home.run(["try", "mine", "--config", roster]);
    expect(stderr).toMatch(/Up to 9 prompts .* may cost money .*\n {2}2 × Say the one word/s);
    expect(stdout).toMatch(/✗ start +starts, and answers initialize +ended instead \(exit code 3\)/);
    expect(stdout).toMatch(/✗ start: .*\n +expected .*\n +the hall .*agent_exited.*\n +to mend .*initialize/);
    expect(code).toBe(1);
  });

  it("ends the agent when it is stopped in the middle", async () => {
    const home = new Household();
    const roster = home.roster({ mine: { ways: { neverNew: true, ignoreSigterm: true } } });
    const running = home.start(["try", "mine", "--config", roster, "--prompt", "hello"]).read();
    await running.says("Up to 9 prompts");
    await expect.poll(() => leftOf(home).length, { timeout: 10_000 }).toBeGreaterThan(1);
    running.signal("SIGTERM");
    expect((await running.finished).code).not.toBe(0);
    expect(leftOf(home)).toEqual([]);
  });

  it("ends with 2 for a slot that there is not, a time that is none, a folder that is not there", async () => {
    const home = new Household();
    const roster = home.roster({ mine: { demo: true } });
    const runs = await Promise.all([
      home.run(["try", "yours", "--config", roster]),
      home.run(["try", "mine", "--config", roster, "--timeout", "soon"]),
      home.run(["try", "mine", "--config", roster, "--cwd", join(home.folder, "nowhere")]),
    ]);
    expect(runs.map(({ code }) => code)).toEqual([2, 2, 2]);
    expect(runs[0]?.stderr).toContain('There is no slot "yours"; there are: mine.');
    expect(runs[1]?.stderr).toContain("--timeout soon is no time");
    expect(runs[2]?.stderr).toContain("does not exist");
  });
});
