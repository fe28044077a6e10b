import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import { Keyboard, type KeyInput } from "../../src/demo/keyboard.ts";
import { NobodyThere, PersonAtKeyboard, type Question } from "../../src/demo/person.ts";

/** A terminal whose keys a test presses. */
class Terminal extends EventEmitter implements KeyInput {
  isRaw = false;
  setRawMode(isRaw: boolean): void {
    this.isRaw = isRaw;
  }
  setEncoding(): void {}
  pause(): void {}
  unref(): void {}
  press(keys: string): void {
    this.emit("data", keys);
  }
}

const QUESTION: Question = {
  toolCallId: "1",
  options: [
    { id: "a", name: "Always", kind: "allow_always" },
    { id: "o", name: "Once", kind: "allow_once" },
    { id: "r", name: "Never", kind: "reject_once" },
  ],
};

function sitting() {
  const terminal = new Terminal();
  const seen = { interrupts: 0 };
  const keyboard = new Keyboard(terminal, () => {
    seen.interrupts += 1;
  });
  keyboard.open();
  return {
    terminal,
    keyboard,
    seen,
    person: new PersonAtKeyboard(keyboard),
    withdrawal: new AbortController(),
  };
}

describe("a person at the keyboard", () => {
  it("has y for a yes, n for a no, and numbers for what is left", () => {
    expect(sitting().person.keysFor(QUESTION)).toEqual(["1", "y", "n"]);
  });

  it("chooses by the first key that is one of them, in either case", async () => {
    const { terminal, person, withdrawal } = sitting();
    terminal.press("n");
    const choice = person.decide(QUESTION, withdrawal.signal);
    terminal.press("x q");
    terminal.press("Yn");
    expect(await choice).toEqual({ optionId: "o", words: "Once" });
  });

  it("chooses nothing when the question is withdrawn", async () => {
    const { terminal, person, withdrawal } = sitting();
    const choice = person.decide(QUESTION, withdrawal.signal);
    withdrawal.abort();
    expect(await choice).toBeUndefined();
    terminal.press("y");
  });

  it("interrupts with Ctrl-C, also with no question there", () => {
    const { terminal, seen } = sitting();
    terminal.press("a\u0003");
    expect(seen.interrupts).toBe(1);
  });

  it("leaves the terminal as it was", () => {
    const { terminal, keyboard, seen } = sitting();
    expect(terminal.isRaw).toBe(true);
    keyboard.close();
    terminal.press("\u0003");
    expect(terminal.isRaw).toBe(false);
    expect(seen.interrupts).toBe(0);
  });
});

describe("nobody", () => {
  it("allows once, says who did, and never allows for good", async () => {
    const [always, once, no] = QUESTION.options;
    expect(once && (await new NobodyThere().decide({ ...QUESTION, options: [once] }))).toEqual({
      optionId: "o",
      words: "Once (nobody is at a keyboard: the demo answered)",
    });
    const options = [always, no].filter((option) => option !== undefined);
    expect(await new NobodyThere().decide({ ...QUESTION, options })).toBeUndefined();
  });
});
