import { describe, expect, it } from "vitest";
import { apologize } from "../../src/bridge/apology.ts";
import { HandClock } from "../../src/ground/clock.ts";
import { memoryPair } from "../../src/wire/memory.ts";
import { End } from "./two-ends.ts";

const WHY = { code: -32603, message: "No hall runs." };

function apologizing() {
  const [outer, inner] = memoryPair();
  const clock = new HandClock();
  let isOver = false;
  const over = apologize(inner, WHY, clock).then(() => {
    isOver = true;
  });
  return { editor: new End(outer), clock, over, isOver: () => isOver };
}

describe("an apology", () => {
  it("answers each request with the reason, whatever it is", async () => {
    const { editor } = apologizing();
    editor.say(
      { id: 0, method: "initialize" },
      { id: "x", method: "session/new" },
      { method: "session/cancel" },
    );
    await editor.until(({ lines }) => lines.length === 2);
    expect(editor.messages).toMatchObject([
      { id: 0, error: WHY },
      { id: "x", error: WHY },
    ]);
  });

  it("is over a second after the first answer, and not before", async () => {
    const { editor, clock, over, isOver } = apologizing();
    clock.advance(60_000);
    editor.say({ id: 0, method: "initialize" });
    await editor.until(({ lines }) => lines.length === 1);
    clock.advance(999);
    editor.say({ id: 1, method: "session/new" });
    await editor.until(({ lines }) => lines.length === 2);
    expect(isOver()).toBe(false);
    clock.advance(1);
    await over;
    await editor.until(({ state }) => state !== "open");
  });

  it("is over when the editor leaves, asked or not", async () => {
    const { editor, over } = apologizing();
    editor.transport.end();
    await over;
    expect(editor.lines).toEqual([]);
  });

  it("says what is wrong with a line that is no message", async () => {
    const { editor } = apologizing();
    editor.raw("not json\n");
    await editor.until(({ lines }) => lines.length === 1);
    expect(editor.messages).toMatchObject([{ id: null, error: { code: -32700 } }]);
  });
});
