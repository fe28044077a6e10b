import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { script } from "../../doubles/scripted-agent/script.ts";
import { startHall } from "../../doubles/start-hall.ts";
import { Household } from "../household.ts";
import type { Running } from "../running.ts";
import { atTerminal, hasTerminals } from "../terminal.ts";

const QUESTION = { tool: { id: "1", title: "Run the tests", kind: "execute" } };
const PASTE = (text: string): string => `\x1b[200~${text}\x1b[201~`;

async function user(): Promise<Household> {
  const hall = await startHall({ slots: { scripted: { ways: {} } } });
  const home = new Household();
  home.env.HALL_CONNECT = `unix:${hall.service.addresses.unix}`;
  return home;
}

async function chatAt(home: Household): Promise<Running> {
  const running = atTerminal(home, ["chat"], { NO_COLOR: "1" });
  await running.says("scripted › ");
  return running;
}

describe.runIf(hasTerminals)("hall chat at a terminal", () => {
  it("takes prompts, asks in place, pastes as one, remembers what was typed, and leaves with a hint", async () => {
    const home = await user();
    const first = await chatAt(home);
    first.child.stdin.write(`${script({ say: "I would" }, { ask: QUESTION })}\r`);
    // The line that is typed is gone, and the question has the keys.
    await first.says("\x1b[?25h› ");
    first.child.stdin.write("y");
    await first.says("asked: selected allow");
    first.child.stdin.write(`${PASTE("one\rtwo")}\r`);
    await first.says("echo: ");
    first.child.stdin.write("\x04");
    const { code, stdout } = await first.finished;
    expect(code).toBe(0);
    expect(stdout).toMatch(/It goes on with: {2}hall chat --session hs_[0-9a-f]{32}/);
    // Pastes come as keys again.
    expect(stdout).toContain("\x1b[?2004l");
    const kept = readFileSync(join(home.folder, ".local", "state", "hall", "chat-history"), "utf8");
    expect(
      kept
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toContain("one\ntwo");

    const second = await chatAt(home);
    second.child.stdin.write("\x1b[A");
    await second.says("two");
    second.child.stdin.write("\x03/quit\r");
    expect((await second.finished).code).toBe(0);
  });

  it("cancels the turn on Ctrl-C, and leaves at the second", async () => {
    const running = await chatAt(await user());
    running.child.stdin.write(`${script({ say: "working" }, { wait: "forever" })}\r`);
    await running.says("working");
    await running.says("Ctrl-C cancels");
    running.child.stdin.write("\x03");
    await running.says("Cancelling; Ctrl-C again leaves.");
    running.child.stdin.write("\x03");
    expect((await running.finished).code).toBe(0);
  });
});

describe("hall chat without a terminal", () => {
  it("takes each line for a prompt, refuses questions, and ends with the last turn", async () => {
    const home = await user();
    const lines = [script({ say: "one" }, { ask: QUESTION }), "/mode", "he said \\", "hello"];
    const { code, stdout, stderr } = await home.run(["chat"], { stdin: `${lines.join("\n")}\n` });
    expect(code).toBe(0);
    expect(stdout).toContain("one\nasked: selected reject\n");
    expect(stderr).toContain("! refused: Run the tests  execute");
    expect(stderr).toContain("This agent has no modes and no options.");
    expect(stdout).not.toContain("\x1b");
  });

  it("ends by the last turn's exit code, and shows the errors of those before", async () => {
    const home = await user();
    const failing = script({ error: { code: -32000, message: "No luck." } });
    const both = await home.run(["chat"], { stdin: `${failing}\n${script({ say: "fine" })}` });
    expect(both).toMatchObject({
      code: 0,
      stdout: "fine\n",
      stderr: expect.stringContaining("hall: No luck."),
    });
    expect((await home.run(["chat"], { stdin: failing })).code).toBe(1);
  });

  it("says what is wrong with a session, or with the flags", async () => {
    const home = await user();
    const unknown = await home.run(["chat", "--session", "hs_none"]);
    expect(unknown).toMatchObject({
      code: 1,
      stderr: "hall: There is no session hs_none, or it is not yours to see; hall sessions lists them.\n",
    });
    expect((await home.run(["chat", "--session", "hs_a", "--slot", "x"])).code).toBe(2);
    const nobody = await new Household().run(["chat"]);
    expect(nobody).toMatchObject({ code: 3, stderr: expect.stringContaining("hall serve") });
  });
});
