import { describe, expect, it } from "vitest";
import { choicesOf } from "../../src/cli/choices.ts";
import { TerminalQuestions } from "../../src/cli/terminal-questions.ts";
import { ToolCalls } from "../../src/cli/tool-calls.ts";
import { TurnView } from "../../src/cli/turn-view.ts";
import { HandClock } from "../../src/ground/clock.ts";
import { FakeKeys, FakeScreen } from "./screens.ts";

const READING_MS = 400;

const OPTIONS = [
  { optionId: "once", name: "Allow once", kind: "allow_once" },
  { optionId: "always", name: "Allow for this session: npm test", kind: "allow_always" },
  { optionId: "no", name: "Reject", kind: "reject_once" },
];

function terminal() {
  const screen = new FakeScreen(true);
  const keys = new FakeKeys();
  const clock = new HandClock();
  const calls = new ToolCalls();
  let interrupts = 0;
  const view = new TurnView({ out: screen, aside: screen, calls });
  const questions = new TerminalQuestions({ screen, keys, clock, view, interrupt: () => interrupts++ });
  const answers: string[] = [];
  const ask = (toolCall: object, options: object[] = OPTIONS): (() => void) => {
    const call = calls.see({ ...toolCall });
    if (!call) throw new Error("The call has no id.");
    return questions.ask(call, choicesOf({ options }), ({ optionId }) => answers.push(optionId));
  };
  return { screen, keys, clock, ask, answers, interrupts: () => interrupts };
}

const command = {
  toolCallId: "1",
  title: "Run the tests",
  kind: "execute",
  rawInput: { command: "npm test\nrm x" },
};

describe("a question on a terminal", () => {
  it("shows the title, the kind, the whole command and the options with their keys", () => {
    const { screen, ask, clock } = terminal();
    ask(command);
    clock.advance(READING_MS);
    expect(screen.plain.split("\n")).toEqual([
      "? Run the tests  execute",
      "    $ npm test",
      "      rm x",
      "  1  Allow once (y)",
      "  2  Allow for this session: npm test (a)",
      "  3  Reject (n)",
      "› ",
    ]);
  });

  it("shows what a file is changed to", () => {
    const { screen, ask } = terminal();
    const content = [{ type: "diff", path: "/a.ts", oldText: "let x\n", newText: "const x\n" }];
    ask({ toolCallId: "1", title: "Edit a.ts", kind: "edit", content });
    expect(screen.plain).toContain("    /a.ts\n    - let x\n    + const x\n");
  });

  it("shows what a call of any other kind was given", () => {
    const { screen, ask } = terminal();
    const locations = [{ path: "/a.ts" }];
    ask({
      toolCallId: "1",
      title: "Look",
      kind: "read",
      locations,
      rawInput: { file: "/a.ts", lines: [1, 9], how: "x" },
    });
    expect(screen.plain).toContain("    /a.ts\n    lines: [1,9]\n    how: x\n");
  });

  it("cannot be made to look like another one", () => {
    const { screen, ask } = terminal();
    ask({
      toolCallId: "1",
      title: "ls\x1b[1A\x1b[2K",
      kind: "execute",
      rawInput: { command: "rm\u202e -rf\r\x1b[8m" },
    });
    expect(screen.plain).toContain("? ls␛[1A␛[2K");
    expect(screen.plain).toContain("$ rm\\u202e -rf␍␛[8m");
  });

  it.each([
    ["1", "once"],
    ["2", "always"],
    ["3", "no"],
    ["y", "once"],
    ["a", "always"],
    ["n", "no"],
  ])("is answered by the key %s", (key, option) => {
    const { keys, ask, clock, answers } = terminal();
    ask(command);
    clock.advance(READING_MS);
    keys.press(key);
    expect(answers).toEqual([option]);
    expect(keys).toMatchObject({ isRaw: false, isRead: false });
    expect(clock.pending).toBe(0);
  });

  it("is not answered by keys that were struck before it can have been read", () => {
    const { keys, ask, clock, answers, screen } = terminal();
    ask(command);
    keys.press("y");
    clock.advance(READING_MS - 1);
    keys.press("y1");
    expect(screen.text).not.toContain("› ");
    clock.advance(1);
    expect(answers).toEqual([]);
    keys.press("n");
    expect(answers).toEqual(["no"]);
  });

  it("stays at any other key", () => {
    const { keys, ask, clock, answers } = terminal();
    ask(command);
    clock.advance(READING_MS);
    for (const key of ["4", "9", "0", "x", "\r", " ", "\x1b[A", "\x04"]) keys.press(key);
    expect(answers).toEqual([]);
    keys.press("3");
    expect(answers).toEqual(["no"]);
  });

  it("takes the number of more than nine options with Enter", () => {
    const { keys, ask, clock, answers } = terminal();
    const options = Array.from({ length: 12 }, (_, at) => ({
      optionId: `o${at + 1}`,
      name: `${at + 1}`,
      kind: "",
    }));
    ask(command, options);
    clock.advance(READING_MS);
    keys.press("1");
    keys.press("2");
    expect(answers).toEqual([]);
    keys.press("\r");
    expect(answers).toEqual(["o12"]);
  });

  it("passes Ctrl-C on, also before it takes answers", () => {
    const { keys, ask, interrupts, answers } = terminal();
    ask(command);
    keys.press("\x03");
    expect(interrupts()).toBe(1);
    expect(answers).toEqual([]);
  });

  it("waits for the one before it", () => {
    const { keys, ask, clock, answers, screen } = terminal();
    ask(command);
    ask({ toolCallId: "2", title: "The second" });
    expect(screen.plain).not.toContain("The second");
    clock.advance(READING_MS);
    keys.press("n");
    expect(screen.plain).toContain("› Reject\n? The second");
    keys.press("y");
    expect(answers).toEqual(["no"]);
    clock.advance(READING_MS);
    keys.press("y");
    expect(answers).toEqual(["no", "once"]);
  });

  it("is not answered by a key that was meant for the one before it", () => {
    const { keys, ask, clock, answers } = terminal();
    ask(command);
    ask({ toolCallId: "2", title: "The second" });
    clock.advance(READING_MS);
    keys.press("yyy1");
    expect(answers).toEqual(["once"]);
    clock.advance(READING_MS);
    expect(answers).toEqual(["once"]);
  });

  it("goes away when it is taken back, and the next comes", () => {
    const { keys, ask, clock, answers, screen } = terminal();
    const first = ask(command);
    const second = ask({ toolCallId: "2", title: "The second" });
    ask({ toolCallId: "3", title: "The third" });
    second();
    clock.advance(READING_MS);
    first();
    expect(screen.plain).toContain("It is no longer asked.");
    expect(screen.plain).not.toContain("The second");
    clock.advance(READING_MS);
    keys.press("y");
    expect(answers).toEqual(["once"]);
    expect(keys.isRaw).toBe(false);
  });
});
