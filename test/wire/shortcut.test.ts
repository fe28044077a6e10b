import {
  assert,
  asyncProperty,
  constantFrom,
  jsonValue,
  array as sequence,
  stringMatching,
} from "fast-check";
import { describe, expect, it } from "vitest";
import { Shortcut } from "../../src/wire/shortcut.ts";
import { Endpoint } from "./endpoint.ts";

const BEGINNING = '{"jsonrpc":"2.0","method":"say","params":{"to":"ä","what":';
const ENDING = "}}";

interface Taken {
  value: unknown;
  rest: string;
}

/** An endpoint with a shortcut, and what that took. */
function withShortcut(): { end: Endpoint; taken: Taken[] } {
  const end = new Endpoint();
  const taken: Taken[] = [];
  end.peer.shortcut = new Shortcut(BEGINNING, ENDING, (value, rest) => {
    taken.push({ value, rest: rest.toString() });
    end.heard.push("taken");
  });
  return { end, taken };
}

const line = (what: string): string => `${BEGINNING}${what}${ENDING}\n`;

describe("a shortcut", () => {
  it("takes a line that is spelled as expected: the value in it, and the bytes from there on", async () => {
    const { end, taken } = withShortcut();
    await end.gets(line('{"x": 1.0, "ö":"\\u00e9"}'), line(" null"));
    expect(taken).toEqual([
      { value: { x: 1, ö: "é" }, rest: '{"x": 1.0, "ö":"\\u00e9"}}}' },
      { value: null, rest: " null}}" },
    ]);
    expect(end.heard).toEqual(["taken", "taken", "read"]);
  });

  it("leaves every other line to the usual way, in its order", async () => {
    const { end } = withShortcut();
    await end.gets({ method: "other" }, line("1"), { id: 5, method: "say", params: {} }, line("2"));
    expect(end.heard).toEqual(["notification other", "taken", "request 5 say", "taken", "read"]);
  });

  it.each([
    ["has more behind its value", `${BEGINNING}1,"more":2}}\n`, "notification say"],
    ["has more behind its params", `${BEGINNING}{}},"x":{}}\n`, "notification say"],
    ["has an id, and a bad one", `${BEGINNING}{}},"id":{"a":1}}\n`, "fault -32600"],
    ["is cut short", `${BEGINNING}{"x":1}}\n`, "fault -32700"],
    ["holds two values", `${BEGINNING}1}}${BEGINNING}2}}\n`, "fault -32700"],
    ["holds none", `${BEGINNING}}}\n`, "fault -32700"],
  ])("is not misled by a line that %s, and is not tried again", async (_, misleading, heard) => {
    const { end, taken } = withShortcut();
    await end.gets(line("1"), misleading, line("2"));
    expect(end.heard).toEqual(["taken", heard, "notification say", "read"]);
    expect(taken).toHaveLength(1);
  });

  it("does not take what is no UTF-8", async () => {
    const { end, taken } = withShortcut();
    end.far.write(Buffer.concat([Buffer.from(`${BEGINNING}"`), Buffer.from([0xff]), Buffer.from('"}}\n')]));
    await end.settled();
    expect([end.heard, taken]).toEqual([["fault -32700", "read"], []]);
  });

  it("takes a replacement character that was sent as one", async () => {
    const { end, taken } = withShortcut();
    await end.gets(line('"\ufffd"'));
    expect(taken).toEqual([{ value: "\ufffd", rest: '"\ufffd"}}' }]);
  });

  it("whose taker throws loses that line alone", async () => {
    const end = new Endpoint();
    const taken: unknown[] = [];
    end.peer.shortcut = new Shortcut(BEGINNING, ENDING, (value) => {
      if (value === "bad") throw new Error("a defect");
      taken.push(value);
    });
    await end.gets(line('"bad"'), line('"good"'));
    expect(taken).toEqual(["good"]);
    expect(end.broken).toEqual([new Error("a defect")]);
  });

  it("takes only what the usual way would have read the same", async () => {
    const text = stringMatching(/^[{}[\]",:0-9a ]{0,12}$/);
    const ending = constantFrom(ENDING, "}", "}}}", " } }\t", ',"more":{}}}');
    const whats = sequence(
      constantFrom("json", "text").chain((kind) =>
        kind === "json" ? jsonValue().map((value) => JSON.stringify(value)) : text,
      ),
    );
    await assert(
      asyncProperty(whats, ending, async (some, last) => {
        for (const what of some) {
          const { end, taken } = withShortcut();
          const usual = new Endpoint();
          const sent = `${BEGINNING}${what}${last}`;
          await Promise.all([end.gets(`${sent}\n`), usual.gets(`${sent}\n`)]);
          if (taken.length === 0) {
            expect(end.heard).toEqual(usual.heard);
            continue;
          }
          expect(usual.heard).toEqual(["notification say", "read"]);
          const { params } = JSON.parse(sent);
          expect(taken).toEqual([{ value: params.what, rest: sent.slice(BEGINNING.length) }]);
          expect(Object.keys(params)).toEqual(["to", "what"]);
        }
      }),
    );
  });
});
