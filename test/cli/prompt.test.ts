import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { promptsTo } from "../doubles/conversation.ts";
import { gate } from "../doubles/gate.ts";
import { type Step, script } from "../doubles/scripted-agent/script.ts";
import type { Ways } from "../doubles/scripted-agent/ways.ts";
import { startHall } from "../doubles/start-hall.ts";
import { documentOf, Household } from "./household.ts";

/** A hall with one scripted agent, and a user who has its address in the environment. */
async function served(ways: Ways = {}) {
  const hall = await startHall({ slots: { scripted: { ways } } });
  const home = new Household();
  home.env.HALL_CONNECT = `unix:${hall.service.addresses.unix}`;
  return {
    hall,
    home,
    prompt: (steps: Step[] | string, ...flags: string[]) =>
      home.run(["prompt", ...flags, typeof steps === "string" ? steps : script(...steps)]),
    /** A client beside the command's own. */
    visit: async () => {
      const client = await hall.connect();
      await client.initialize();
      return client;
    },
  };
}

const question = {
  tool: { id: "call-1", title: "Run the tests", kind: "execute", rawInput: { command: "npm test" } },
};

describe("hall prompt", () => {
  it("says on stdout what the agent says, and all else on stderr", async () => {
    const { prompt } = await served();
    const { code, stdout, stderr } = await prompt([
      { think: "Let me see." },
      { plan: ["Look", "Act"] },
      { tool: { id: "t", title: "Read a.ts", kind: "read", status: "in_progress" } },
      { toolUpdate: { id: "t", status: "completed" } },
      { say: "Two words." },
    ]);
    expect(stdout).toBe("Two words.\n");
    expect(stderr.split("\n")).toEqual([
      "Let me see.",
      "Plan",
      "  · Look",
      "  · Act",
      "▸ Read a.ts  read",
      "✓ Read a.ts",
      "",
    ]);
    expect(code).toBe(0);
  });

  it("says it as it comes", async () => {
    const { home } = await served();
    const point = gate();
    const running = home.start(["prompt", script({ say: "first " }, point.wait, { say: "second" })]).read();
    await running.says("first ");
    point.open();
    expect((await running.finished).stdout).toBe("first second\n");
  });

  it("ends with the code of the stop reason, and names it", async () => {
    const { prompt } = await served();
    const { code, stderr } = await prompt([{ end: "refusal" }]);
    expect(code).toBe(5);
    expect(stderr).toBe("The turn ended: refusal.\n");
  });

  it("ends with 1 and the agent's own words when the turn fails", async () => {
    const { prompt } = await served();
    const { code, stderr, stdout } = await prompt([
      { say: "so far" },
      { error: { code: -32099, message: "No luck." } },
    ]);
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: "so far\n", stderr: "hall: No luck.\n" });
  });

  it("shows what an agent that crashed said last", async () => {
    const { prompt } = await served();
    const { code, stderr } = await prompt([{ stderr: "out of cheese\nredo from start\n" }, { exit: 9 }]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^hall: The agent of slot scripted .*exit code 9/);
    expect(stderr).toContain("  | out of cheese\n  | redo from start\n");
  });

  it("prints one JSON document", async () => {
    const { prompt } = await served();
    const usage = { inputTokens: 1, outputTokens: 2, totalTokens: 3 };
    const document = documentOf(
      await prompt(
        [{ say: ["a", "b"] }, { ask: question }, { end: { stopReason: "end_turn", usage } }],
        "--json",
      ),
    );
    expect(document).toEqual({
      sessionId: expect.stringMatching(/^hs_/),
      turn: expect.stringMatching(/^turn_/),
      stopReason: "end_turn",
      text: "abasked: selected reject",
      usage,
      refused: [{ toolCallId: "call-1", title: "Run the tests", kind: "execute" }],
    });
  });

  it("prints one JSON document for a turn that failed, and for a session that was not made", async () => {
    const { prompt } = await served();
    const finished = await prompt([{ say: "a" }, { error: { code: -32099, message: "No." } }], "--json");
    expect(finished.code).toBe(1);
    expect(documentOf(finished)).toMatchObject({
      error: { code: -32099, message: "No." },
      text: "a",
      usage: null,
    });
    const unmade = await prompt("x", "--json", "--cwd", "nowhere");
    expect(unmade.code).toBe(1);
    expect(documentOf(unmade)).toMatchObject({ sessionId: null, error: { code: -32602 } });
  });

  it("tells the usage that the agent reported by update", async () => {
    const { prompt } = await served();
    const update = { sessionUpdate: "usage_update", used: 10, size: 100 };
    expect(documentOf(await prompt([{ update }], "--json")).usage).toEqual({ used: 10, size: 100 });
  });

  it("refuses what nobody can be asked about, and says so", async () => {
    const { prompt } = await served();
    const { code, stdout, stderr } = await prompt([{ ask: question }]);
    expect(code).toBe(0);
    expect(stdout).toBe("asked: selected reject\n");
    expect(stderr).toContain("! refused: Run the tests  execute");
  });

  it("allows once what --allow names, and nothing else", async () => {
    const { prompt } = await served();
    const edit = { tool: { id: "call-2", title: "Edit b.ts", kind: "edit" } };
    const { stdout, stderr } = await prompt([{ ask: question }, { ask: edit }], "--allow", "read, edit");
    expect(stdout).toBe("asked: selected reject\nasked: selected allow\n");
    expect(stderr).toContain("! allowed: Edit b.ts  edit");
  });

  it("never takes an option that allows more than once for --allow", async () => {
    const { prompt } = await served();
    const options = [
      { optionId: "for-ever", name: "Always", kind: "allow_always" },
      { optionId: "no", name: "No", kind: "reject_once" },
    ];
    const { stdout } = await prompt([{ ask: { ...question, options } }], "--allow", "execute");
    expect(stdout).toBe("asked: selected no\n");
  });

  it("knows a call's kind from its announcement", async () => {
    const { prompt } = await served();
    const { stdout } = await prompt(
      [{ tool: { id: "t", title: "Look", kind: "read" } }, { ask: { tool: { id: "t" } } }],
      "--allow",
      "read",
    );
    expect(stdout).toBe("asked: selected allow\n");
  });

  it("reads the prompt from stdin", async () => {
    const { home } = await served();
    const { stdout } = await home.run(["prompt", "-"], { stdin: "two\nlines" });
    expect(stdout).toBe("echo: two\nlines\n");
  });

  it("joins its words", async () => {
    const { home } = await served();
    expect((await home.run(["prompt", "three", "little", "words"])).stdout).toBe(
      "echo: three little words\n",
    );
  });

  it("sends files with what is in them", async () => {
    const { hall, home, prompt } = await served();
    const file = join(home.work, "a note.txt");
    writeFileSync(file, "remember");
    await prompt("see", "--file", file);
    const [prompted] = promptsTo(hall);
    expect(prompted).toContain("remember");
    expect(prompted).toContain("a%20note.txt");
  });

  it("goes on in a session", async () => {
    const { prompt } = await served();
    const { sessionId } = documentOf(await prompt("one", "--json"));
    const again = documentOf(await prompt([{ tell: "memory" }], "--json", "--session", String(sessionId)));
    expect(again.sessionId).toBe(sessionId);
    expect(again.text).toContain("one");
  });

  it("shows its own turn alone in a session in which others run", async () => {
    const { home, visit } = await served();
    const client = await visit();
    const { sessionId } = await client.newSession();
    const point = gate();
    const first = client.prompt(sessionId, [point.wait, { ask: question }, { say: "theirs" }]);
    await point.reached();
    const running = home.start(["prompt", "--session", sessionId, "--json", "mine"]).read();
    // It is attached when it has sent its prompt: what it says later is behind that.
    const detached = home.run(["prompt", "--session", sessionId, "--detach", "third"]);
    expect((await detached).code).toBe(0);
    point.open();
    (await client.question()).select("allow");
    await first;
    const document = documentOf(await running.finished);
    expect(document).toMatchObject({ text: "echo: mine", refused: [], stopReason: "end_turn" });
    expect(client.texts(sessionId)).toContain("asked: selected allowtheirs");
  });

  it("leaves with --detach when the hall has the prompt, which runs on", async () => {
    const { home, visit } = await served();
    const point = gate();
    const { code, stdout, stderr } = await home.run([
      "prompt",
      "--detach",
      script(point.wait, { say: "later" }),
    ]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^turn_[0-9a-f]{32}\n$/);
    const sessionId = /hs_[0-9a-f]+/.exec(stderr)?.[0] ?? "";
    await point.reached();
    const client = await visit();
    await client.load(sessionId, { cwd: home.work });
    point.open();
    await client.sees("later");
  });

  it("says why a detached prompt was not taken", async () => {
    const { prompt } = await served({ capabilities: { promptCapabilities: {} } });
    const { code, stderr } = await prompt("x", "--detach", "--session", "hs_unknown");
    expect(code).toBe(1);
    expect(stderr).toMatch(/no such session/);
  });

  it("cancels the turn on Ctrl-C, and ends with 7 when the agent has stopped", async () => {
    const { home } = await served();
    const running = home.start(["prompt", script({ say: "working" }, { wait: "cancel" })]).read();
    await running.says("working");
    running.signal("SIGINT");
    const { code, stderr } = await running.finished;
    expect(code).toBe(7);
    expect(stderr).toContain("Cancelling");
    expect(stderr).toContain("The turn ended: cancelled.");
  });

  it("leaves on the second Ctrl-C, whatever the agent does", async () => {
    const { home } = await served({ ignoreCancel: true });
    const running = home.start(["prompt", script({ say: "working" }, { wait: "forever" })]).read();
    await running.says("working");
    running.signal("SIGINT");
    await running.says("Cancelling");
    running.signal("SIGINT");
    expect((await running.finished).code).toBe(7);
  });

  it("takes back a prompt that waits, and leaves the turn before it alone", async () => {
    const { home, visit } = await served();
    const client = await visit();
    const { sessionId } = await client.newSession();
    const point = gate();
    const first = client.prompt(sessionId, [point.wait, { say: "theirs" }]);
    await point.reached();
    const running = home.start(["prompt", "--session", sessionId, "mine"]).read();
    // Nothing tells from outside that its prompt waits, but the hall's own count of turns.
    const status = async (): Promise<unknown> => documentOf(await home.run(["status", "--json"])).slots;
    await expect.poll(status, { timeout: 20_000 }).toMatchObject([{ turns: 1 }]);
    await home.run(["prompt", "--session", sessionId, "--detach", "third"]);
    running.signal("SIGINT");
    expect((await running.finished).code).toBe(7);
    point.open();
    expect((await first).stopReason).toBe("end_turn");
  });

  it("ends with 1 when there is no such slot, and names those that there are", async () => {
    const { prompt } = await served();
    const { code, stderr } = await prompt("x", "--slot", "other");
    expect(code).toBe(1);
    expect(stderr).toBe('hall: There is no slot "other"; there are: scripted.\n');
  });

  it("ends with 1 when the hall is killed in the middle of the turn", async () => {
    const home = new Household();
    const hall = await home.serve(home.roster({ scripted: { ways: {} } }));
    const running = home.start(["prompt", script({ say: "working" }, { wait: "forever" })]).read();
    await running.says("working");
    hall.signal("SIGKILL");
    const { code, stderr } = await running.finished;
    expect(code).toBe(1);
    expect(stderr).toBe("hall: The connection to the hall was lost before it answered.\n");
  });

  it("ends quietly when nobody reads its output any more", async () => {
    const { home } = await served();
    const running = home.start(["prompt", script({ say: "first" }, { flood: { bytes: 2 ** 20 } })]);
    running.child.stdout.once("data", () => running.child.stdout.destroy());
    const { stderr } = await running.finished;
    expect(stderr).toBe("");
  });

  it("starts no hall: without one it ends with 3", async () => {
    const home = new Household();
    home.ownRoster({ scripted: { ways: {} } });
    const { code, stderr } = await home.run(["prompt", "hello"]);
    expect(code).toBe(3);
    expect(stderr).toBe(
      "hall: No hall of yours runs; start one with hall serve, or name one with --connect.\n",
    );
  });

  it.each([
    [["prompt"], /nothing to send/],
    [["prompt", "--allow", "reed", "x"], /--allow reed.*read/],
    [["prompt", "--session", "s", "--slot", "t", "x"], /has its slot/],
    [["prompt", "--file", "nowhere.txt", "x"], /nowhere\.txt.*no such file/],
    [["prompt", "--connect", "http://x", "x"], /not the address of a hall/],
    [["prompt", "--colour", "x"], /unknown option/],
  ])("ends with 2 when it is typed wrong: %j", async (args, complaint) => {
    const { code, stderr } = await new Household().run(args);
    expect(code).toBe(2);
    expect(stderr).toMatch(complaint);
  });

  it("has no colours where there is no terminal", async () => {
    const { prompt } = await served();
    const { stdout, stderr } = await prompt([{ think: "hm" }, { say: "x" }, { ask: question }]);
    expect(stdout + stderr).not.toContain("\x1b");
  });

  it("knows the demo agent", async () => {
    const home = new Household();
    expect(existsSync(join(import.meta.dirname, "../../dist/agents/demo/main.js"))).toBe(true);
    await home.serve(home.roster({ demo: { demo: true } }));
    const { code, stdout } = await home.run(["prompt", "--slot", "demo", "echo", "anybody", "there?"]);
    expect(code).toBe(0);
    expect(stdout).toContain("anybody there?");
  });
});
