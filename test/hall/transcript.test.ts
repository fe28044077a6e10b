import { assert, constantFrom, property, array as sequence, string, tuple } from "fast-check";
import { describe, expect, it } from "vitest";
import { HandClock } from "../../src/ground/clock.ts";
import { Journal } from "../../src/hall/journal.ts";
import { LineFile } from "../../src/hall/line-file.ts";
import { transcriptBlock } from "../../src/hall/transcript.ts";
import { MemoryDisk } from "./memory-disk.ts";

const KEPT = 32 * 1024;

const chunk = (who: string, text: string): string =>
  line({ sessionUpdate: `${who}_message_chunk`, content: { type: "text", text } });

const line = (update: object): string =>
  JSON.stringify({ jsonrpc: "2.0", method: "session/update", params: { sessionId: "s", update } });

function journalOf(lines: readonly string[]): Journal {
  const disk = new MemoryDisk();
  disk.files.set("/j", Buffer.from(lines.map((one) => `${one}\n`).join("")));
  return new Journal(new LineFile("/j", { disk, clock: new HandClock(), noticed: () => {} }));
}

/** What is said of the conversation, without the words around it; undefined when nothing is. */
function said(lines: readonly string[], before?: number): string | undefined {
  const journal = journalOf(lines);
  const block = transcriptBlock(journal, before ?? journal.end);
  if (!block) return undefined;
  const { text, type } = block;
  expect(type).toBe("text");
  const found = /^<earlier-conversation>\n[^\n]+\n\n([\s\S]*)\n<\/earlier-conversation>\n$/.exec(
    String(text),
  );
  return found?.[1];
}

describe("the transcript of a session", () => {
  it("is what was said, speaker by speaker, and nothing else that happened", () => {
    const lines = [
      chunk("user", "Hello"),
      line({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "hm" } }),
      chunk("agent", "Good "),
      line({ sessionUpdate: "tool_call", toolCallId: "t", title: "_message_chunk" }),
      chunk("agent", "day."),
      chunk("user", "Bye"),
    ];
    expect(said(lines)).toBe("User: Hello\n\nAssistant: Good day.\n\nUser: Bye");
  });

  it("ends before the prompt that it precedes", () => {
    const lines = [chunk("user", "before"), chunk("user", "the prompt itself")];
    expect(said(lines, Buffer.byteLength(`${lines[0]}\n`))).toBe("User: before");
  });

  it.each([
    ["nothing", []],
    ["nothing but tool calls", [line({ sessionUpdate: "tool_call", toolCallId: "t" })]],
    ["lines that cannot be read", ['{"_message_chunk', "null", '"_message_chunk"']],
    ["chunks without content", [line({ sessionUpdate: "user_message_chunk" })]],
  ])("is none where there was %s", (_name, lines) => {
    expect(said(lines)).toBeUndefined();
  });

  it("says in a word what has no words", () => {
    const image = { sessionUpdate: "user_message_chunk", content: { type: "image", data: "x" } };
    const link = { type: "resource_link", name: "a.md", uri: "file:///a.md" };
    expect(said([line(image), line({ sessionUpdate: "user_message_chunk", content: link })])).toBe(
      "User: [image][a.md](file:///a.md)",
    );
  });

  it("keeps the newest 32 KiB, and says that something is missing before", () => {
    const lines = [chunk("user", "old"), chunk("agent", "x".repeat(KEPT)), chunk("user", "new")];
    const text = said(lines) ?? "";
    expect(text).toMatch(/^\[…\]x+\n\nUser: new$/);
    expect(Buffer.byteLength(text)).toBe(KEPT + Buffer.byteLength("[…]"));
  });

  it("keeps all of just 32 KiB", () => {
    const words = "x".repeat(KEPT - "User: ".length);
    expect(said([chunk("user", words)])).toBe(`User: ${words}`);
    expect(said([chunk("user", `${words}x`)])).toBe(`[…]ser: ${words}x`);
  });

  it("is never cut within a character, and never longer than it may be", () => {
    const characters = constantFrom("a", "é", "€", "😀", "\u0000");
    const words = sequence(characters, { maxLength: 30 }).map((some) => some.join(""));
    assert(
      property(
        sequence(tuple(constantFrom("user", "agent"), words), { maxLength: 5 }),
        words,
        (turns, tail) => {
          const long = tail.repeat(Math.ceil((KEPT * 1.1) / Math.max(Buffer.byteLength(tail), 1)));
          const text = said([...turns.map(([who, some]) => chunk(who, some)), chunk("user", long)]);
          if (text === undefined) return;
          expect(text).not.toContain("\ufffd");
          expect(Buffer.byteLength(text)).toBeLessThanOrEqual(KEPT + Buffer.byteLength("[…]"));
          expect(text.endsWith(long.slice(-20))).toBe(true);
        },
      ),
      { numRuns: 50 },
    );
  });

  it("looks at the last 8 MiB only, from the first whole line in them, however long the line before is", () => {
    const lines = [chunk("user", "too old"), chunk("agent", "y".repeat(9 * 2 ** 20)), chunk("user", "new")];
    expect(said(lines)).toBe("User: new");
  });

  it("takes a line of more than it reads at once", () => {
    const lines = [chunk("agent", "y".repeat(9 * 2 ** 20))];
    expect(said(lines)).toBeUndefined();
    assert(
      property(string({ minLength: 1, maxLength: 5 }), (words) => {
        expect(said([...lines, chunk("user", words)])).toBe(`User: ${words}`);
      }),
      { numRuns: 3 },
    );
  });
});
