import { describe, expect, it } from "vitest";
import { type FootParts, footOf } from "../../../src/cli/chat/foot.ts";
import { paint } from "../../../src/cli/paint.ts";

const PLAIN = paint({});
const USUAL: FootParts = {
  status: "",
  waiting: [],
  label: "demo › ",
  text: "",
  cursor: 0,
  hint: "",
  columns: 20,
  rows: 10,
};

const foot = (parts: Partial<FootParts>) => footOf({ ...USUAL, ...parts }, PLAIN);

describe("the foot of a chat", () => {
  it("has the label, the text, and the cursor where it is in the text", () => {
    expect(foot({ text: "hello", cursor: 2 })).toEqual({ lines: ["", "demo › hello"], row: 1, column: 9 });
  });

  it("has a row for each line of the text, below each other", () => {
    const { lines, row, column } = foot({ text: "one\ntwo", cursor: 7 });
    expect({ lines, row, column }).toEqual({ lines: ["", "demo › one", "       two"], row: 2, column: 10 });
  });

  it("has the cursor at the end of a line, and at the beginning of an empty one", () => {
    expect(foot({ text: "one\n\ntwo", cursor: 3 })).toMatchObject({ row: 1, column: 10 });
    expect(foot({ text: "one\n\ntwo", cursor: 4 })).toMatchObject({ row: 2, column: 7 });
  });

  it("breaks a long line before the terminal does", () => {
    const { lines, row, column } = foot({ text: "abcdefghijklmnop", cursor: 16 });
    expect({ lines, row, column }).toEqual({
      lines: ["", "demo › abcdefghijkl", "       mnop"],
      row: 2,
      column: 11,
    });
  });

  it("shows the row with the cursor when there is no room for all", () => {
    const text = "1\n2\n3\n4\n5\n6";
    expect(foot({ text, cursor: text.length, rows: 5 }).lines).toEqual([
      "",
      "       4",
      "       5",
      "       6",
    ]);
    expect(foot({ text, cursor: 0, rows: 5 })).toMatchObject({
      lines: ["", "demo › 1", "       2", "       3"],
      row: 1,
    });
  });

  it("says what goes on, what waits, and what could be typed", () => {
    const waiting = ["fix\nthe tests", "b", "c", "d", "e"];
    expect(
      foot({ status: "working", waiting, hint: "/help", text: "/", cursor: 1, columns: 30 }).lines,
    ).toEqual([
      "",
      "working",
      "  waits: fix the tests",
      "  waits: b",
      "  waits: c",
      "  and 2 more",
      "demo › /",
      "/help",
    ]);
  });

  it("cuts what is wider than the terminal, wide characters too", () => {
    expect(foot({ status: "界界界界界界界界界界界", columns: 10 }).lines[1]).toBe("界界界界…");
  });

  it("obeys no escape sequence that was pasted", () => {
    expect(foot({ text: "\x1b[2J", cursor: 0 }).lines[1]).toBe("demo › ␛[2J");
  });
});
