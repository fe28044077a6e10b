import { describe, expect, it } from "vitest";
import { LineEditor } from "../../../src/cli/chat/line-editor.ts";

function editor(history: string[] = [], complete: (text: string) => string[] = () => []) {
  const submitted: string[] = [];
  let changes = 0;
  const line = new LineEditor({
    history,
    complete,
    submitted: (text) => submitted.push(text),
    changed: () => {
      changes += 1;
    },
  });
  const press = (name: string, more = {}): void => line.press(undefined, { name, ...more });
  const type = (text: string): void => {
    for (const character of text) line.press(character, { sequence: character });
  };
  return { line, press, type, submitted, changes: () => changes };
}

describe("a line that is edited", () => {
  it("takes characters where the cursor is, and is submitted by Enter", () => {
    const { line, press, type, submitted } = editor();
    type("hello");
    press("a", { ctrl: true });
    type("> ");
    expect([line.text, line.cursor]).toEqual(["> hello", 2]);
    press("return");
    expect([line.text, submitted]).toEqual(["", ["> hello"]]);
  });

  it("has several lines: behind a backslash, by Alt-Enter, by Ctrl-J, and from a paste", () => {
    const { line, press, type, submitted } = editor();
    type("a\\");
    press("return");
    type("b");
    press("return", { meta: true });
    type("c");
    press("enter");
    line.insert("d\r\ne\rf");
    expect(submitted).toEqual([]);
    press("return");
    expect(submitted).toEqual(["a\nb\nc\nd\ne\nf"]);
  });

  it("has what was typed before at the arrow keys, with all its lines, but for what began with a space", () => {
    const { line, press, type } = editor(["two\nlines", "old"]);
    type("new");
    press("return");
    type(" secret");
    press("return");
    press("up");
    expect(line.text).toBe("new");
    press("up");
    expect(line.text).toBe("two\nlines");
    press("up");
    expect(line.text).toBe("old");
  });

  it("completes at Tab, as far as all that fits agrees", async () => {
    const { line, press, type } = editor([], (text) =>
      ["/mode ", "/modest"].filter((one) => one.startsWith(text)),
    );
    type("/m");
    press("tab");
    await expect.poll(() => line.text).toBe("/mode");
  });

  it("is emptied without being submitted", () => {
    const { line, type, submitted, changes } = editor();
    type("hello");
    line.clear();
    expect([line.text, submitted]).toEqual(["", []]);
    expect(changes()).toBeGreaterThan(5);
  });
});
