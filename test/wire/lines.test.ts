import { assert, constant, integer, oneof, property, array as sequence, uint8Array } from "fast-check";
import { describe, expect, it } from "vitest";
import { LineSplitter } from "../../src/wire/lines.ts";

/** What a splitter made of these chunks, and then of their end. */
function split(chunks: readonly Buffer[], limit = 1_000_000, end = true) {
  const lines: string[] = [];
  const tooLong: number[] = [];
  const splitter = new LineSplitter(limit, {
    line: (bytes) => lines.push(bytes.toString("latin1")),
    tooLong: (reported) => tooLong.push(reported),
  });
  for (const chunk of chunks) splitter.push(chunk);
  if (end) splitter.end();
  return { lines, tooLong };
}

/** The same said plainly: the whole content at once, as text of one byte a character. */
function linesOf(content: Buffer): string[] {
  return content
    .toString("latin1")
    .replace(/^\xef\xbb\xbf/, "")
    .split("\n")
    .map((line) => line.replace(/\r$/, ""))
    .filter((line) => !/^[ \t]*$/.test(line));
}

const cut = (content: Buffer, at: readonly number[]): Buffer[] => {
  const places = [...at.map((place) => place % (content.length + 1)), 0, content.length].sort(
    (a, b) => a - b,
  );
  return places.slice(1).map((place, index) => content.subarray(places[index], place));
};

const text = (words: string): Buffer => Buffer.from(words);

/** What lines are made of, and what looks as if it ended one. */
const piece = oneof(
  constant(text("\n")),
  constant(text("\r\n")),
  constant(text("\r")),
  constant(text(" \t")),
  constant(text("\ufeff")),
  constant(text("\u2028\u2029\u0085")),
  constant(text('{"text":"né 😀"}')),
  uint8Array({ maxLength: 6 }).map((bytes) => Buffer.from(bytes)),
);
const anyContent = sequence(piece, { maxLength: 40 }).map((pieces) => Buffer.concat(pieces));

describe("a line splitter", () => {
  it("finds the same lines however the bytes are cut into chunks", () => {
    assert(
      property(anyContent, sequence(integer({ min: 0, max: 10_000 }), { maxLength: 30 }), (content, at) => {
        expect(split(cut(content, at))).toEqual({ lines: linesOf(content), tooLong: [] });
      }),
      { numRuns: 500 },
    );
  });

  it("finds them in single bytes", () => {
    assert(
      property(anyContent, (content) => {
        const bytes = [...content].map((byte) => Buffer.from([byte]));
        expect(split(bytes).lines).toEqual(linesOf(content));
      }),
    );
  });

  it("splits at 0x0A alone: U+2028 and its like are text", () => {
    const line = "a\u2028b\u2029c\u0085d\ve\ff";
    expect(split([text(`${line}\n`)]).lines).toEqual([text(line).toString("latin1")]);
  });

  it.each([
    ["CRLF", "one\r\ntwo\r\n", ["one", "two"]],
    ["a carriage return within", "o\rne\n", ["o\rne"]],
    ["blank lines", "\n \n\t\r\n\r\none\n\n", ["one"]],
    ["a byte order mark at the start", "\ufeffone\ntwo\n", ["one", "two"]],
    ["a byte order mark before a blank line", "\ufeff\none\n", ["one"]],
    ["no newline at the end", "one\ntwo", ["one", "two"]],
    ["nothing", "", []],
  ])("takes %s", (_name, content, lines) => {
    expect(split([text(content)]).lines).toEqual(lines);
  });

  it("takes a byte order mark for text where it is not the very first", () => {
    const mark = text("\ufeff").toString("latin1");
    expect(split([text("one\n\ufefftwo\n")]).lines).toEqual(["one", `${mark}two`]);
  });

  it("tells of a line without its end only when the stream is over", () => {
    expect(split([text("one\ntw"), text("o")], 100, false).lines).toEqual(["one"]);
    expect(split([text("one\ntw"), text("o")], 100, true).lines).toEqual(["one", "two"]);
  });

  describe("with a limit", () => {
    it.each([
      ["of exactly the limit", "12345\n"],
      ["of exactly the limit, with CRLF", "12345\r\n"],
      ["of exactly the limit, after a byte order mark", "\ufeff12345\n"],
      ["of exactly the limit, at the end of the stream", "12345"],
    ])("delivers a line %s, in whatever chunks", (_name, content) => {
      assert(
        property(sequence(integer({ min: 0, max: 20 })), (at) => {
          expect(split(cut(text(content), at), 5)).toEqual({ lines: ["12345"], tooLong: [] });
        }),
      );
    });

    it.each(["123456\n", "123456\r\n", "\ufeff123456\n", "123456", "      \n"])(
      "refuses one byte more (%j) and delivers nothing behind it",
      (content) => {
        assert(
          property(sequence(integer({ min: 0, max: 20 })), (at) => {
            const chunks = [text("one\n"), ...cut(text(content), at), text("\nnext\n")];
            // The first line is of its own, so that a mark in the second is none.
            const marked = content.startsWith("\ufeff");
            expect(split(marked ? chunks.slice(1) : chunks, 5)).toEqual({
              lines: marked ? [] : ["one"],
              tooLong: [5],
            });
          }),
        );
      },
    );

    it("refuses a line that never ends as soon as it is too long for any", () => {
      const endless = Array.from({ length: 50 }, () => text("x"));
      expect(split(endless, 10, false)).toEqual({ lines: [], tooLong: [10] });
    });

    it("goes by the limit of now, also for a line that has begun", () => {
      const lines: string[] = [];
      const splitter = new LineSplitter(4, { line: (bytes) => lines.push(`${bytes}`), tooLong: () => {} });
      splitter.push(text("12"));
      splitter.limit = 10;
      splitter.push(text("3456\n"));
      expect(lines).toEqual(["123456"]);
    });
  });

  it("delivers nothing more once it was stopped, not even of the same chunk", () => {
    const lines: string[] = [];
    const splitter: LineSplitter = new LineSplitter(100, {
      line: (bytes) => {
        lines.push(`${bytes}`);
        if (lines.length === 2) splitter.stop();
      },
      tooLong: () => {},
    });
    splitter.push(text("one\ntwo\nthree\nfour"));
    splitter.push(text("five\n"));
    splitter.end();
    expect(lines).toEqual(["one", "two"]);
  });

  it("looks at each byte of a long line once, in chunks of whatever size", () => {
    for (const size of [1, 1_000]) {
      let searched = 0;
      const chunks = Array.from({ length: 20_000 / size }, () => {
        const chunk = Buffer.alloc(size, "x");
        const indexOf = chunk.indexOf.bind(chunk);
        return Object.assign(chunk, {
          indexOf: (byte: number, from = 0) => {
            searched += size - from;
            return indexOf(byte, from);
          },
        });
      });
      expect(split([...chunks, text("\n")]).lines).toEqual(["x".repeat(20_000)]);
      expect(searched).toBe(20_000);
    }
  });

  it("keeps copies of what it holds: a chunk that is written over changes no line", () => {
    const chunk = text("begun");
    const lines: string[] = [];
    const splitter = new LineSplitter(100, { line: (bytes) => lines.push(`${bytes}`), tooLong: () => {} });
    splitter.push(chunk);
    chunk.fill("?");
    splitter.push(text(" and ended\n"));
    expect(lines).toEqual(["begun and ended"]);
  });
});
