import { describe, expect, it } from "vitest";
import { script } from "../doubles/scripted-agent/script.ts";
import { startHall } from "../doubles/start-hall.ts";
import { Household } from "./household.ts";
import { atTerminal, hasTerminals } from "./terminal.ts";

const question = {
  tool: { id: "1", title: "Run the tests", kind: "execute", rawInput: { command: "npm test" } },
};

async function user(): Promise<Household> {
  const hall = await startHall({ slots: { scripted: { ways: {} } } });
  const home = new Household();
  home.env.HALL_CONNECT = `unix:${hall.service.addresses.unix}`;
  return home;
}

describe.runIf(hasTerminals)("hall prompt at a terminal", () => {
  it("asks, and takes a key for the answer", async () => {
    const running = atTerminal(await user(), [
      "prompt",
      script({ say: "I would" }, { ask: question }, { say: "!" }),
    ]);
    await running.says("› ");
    running.child.stdin.write("y");
    const { code, stdout } = await running.finished;
    expect(code).toBe(0);
    expect(stdout).toMatch(/I would\r\n\r\n.*Run the tests.*\r\n {4}\$ npm test\r\n/);
    expect(stdout).toMatch(/› Allow\r\n\r\nasked: selected allow!\r\n/);
    expect(stdout).toContain("hall prompt --session hs_");
  });

  it("cancels the turn on Ctrl-C, while it runs and while it asks", async () => {
    const home = await user();
    const working = atTerminal(home, ["prompt", script({ say: "working" }, { wait: "cancel" })]);
    await working.says("working");
    working.child.stdin.write("\x03");
    expect(await working.finished).toMatchObject({ code: 7, stdout: expect.stringContaining("cancelled") });
    const asking = atTerminal(home, ["prompt", script({ ask: question }, { wait: "cancel" })]);
    await asking.says("› ");
    asking.child.stdin.write("\x03");
    expect(await asking.finished).toMatchObject({
      code: 7,
      stdout: expect.stringContaining("no longer asked"),
    });
  });

  it("asks there too when the answer goes to a program", async () => {
    const running = atTerminal(await user(), ["prompt", "--json", script({ ask: question })]);
    await running.says("› ");
    running.child.stdin.write("n");
    const { code, stdout } = await running.finished;
    expect(code).toBe(0);
    const document = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "");
    expect(document).toMatchObject({ text: "asked: selected reject", refused: [{ toolCallId: "1" }] });
  });

  it("has colours, unless NO_COLOR says not to", async () => {
    const home = await user();
    const steps = script({ think: "hm" }, { say: "done" });
    expect((await atTerminal(home, ["prompt", steps]).finished).stdout).toContain("\x1b[2mhm");
    const plain = await atTerminal(home, ["prompt", steps], { NO_COLOR: "1" }).finished;
    expect(plain.stdout).not.toContain("\x1b");
  });
});
