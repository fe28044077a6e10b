import { assert, constantFrom, property, record, array as sequence, string } from "fast-check";
import { describe, expect, it } from "vitest";
import type { Fields } from "../../src/acp/checks.ts";
import { fitBlocks, plainText, promptBlocks, promptCapabilities } from "../../src/acp/content.ts";

const everything = { image: true, audio: true, embeddedContext: true };
const nothing = { image: false, audio: false, embeddedContext: false };

const text: Fields = { type: "text", text: "hello" };
const image: Fields = { type: "image", mimeType: "image/png", data: "aGk=" };
const audio: Fields = { type: "audio", mimeType: "audio/wav", data: "aGk=" };
const link: Fields = { type: "resource_link", name: "notes.md", uri: "file:///a/notes.md" };
const embedded: Fields = { type: "resource", resource: { uri: "file:///a/b.txt", text: "its words\n" } };
const blob: Fields = { type: "resource", resource: { uri: "file:///a/b.bin", blob: "aGk=" } };

describe("the blocks of a prompt", () => {
  it("are taken as they came, of any type", () => {
    const blocks = [
      text,
      image,
      { type: "future", anything: [1] },
      { ...text, annotations: { priority: 1 } },
    ];
    expect(promptBlocks(blocks)).toEqual(blocks);
  });

  it.each<[string, unknown]>([
    ["is no object", "hello"],
    ["is a list", [text]],
    ["is null", null],
    ["has no type", { text: "hello" }],
    ["has a type that is no string", { type: 1 }],
    ["is text without a text", { type: "text" }],
    ["is text whose text is none", { type: "text", text: ["hello"] }],
  ])("are refused where one %s, which is named", (_name, bad) => {
    expect(() => promptBlocks([text, bad])).toThrow(expect.objectContaining({ code: -32602 }));
    expect(() => promptBlocks([text, bad])).toThrow("prompt[1]");
  });
});

describe("what an agent gets of a prompt", () => {
  it("is all of it where it can take all", () => {
    const blocks = [text, image, audio, link, embedded, blob];
    expect(fitBlocks(blocks, everything)).toEqual(blocks);
  });

  it("is text and links, which every agent takes, as they came", () => {
    const future = { type: "future", x: 1 };
    expect(fitBlocks([text, link, future], nothing)).toEqual([text, link, future]);
  });

  it("is an embedded text word for word, and a blob as a link, where it lacks embedded context", () => {
    expect(fitBlocks([embedded, blob], { ...everything, embeddedContext: false })).toEqual([
      { type: "text", text: "its words\n" },
      { type: "text", text: "[b.bin](file:///a/b.bin)" },
    ]);
  });

  it.each([
    [{ type: "resource" }, "[resource](resource)"],
    [{ type: "resource", resource: { uri: "file:///" } }, "[file:](file:///)"],
    [{ type: "resource", resource: { uri: "" } }, "[]()"],
    [{ type: "resource", resource: { uri: "x:y/z/" } }, "[z](x:y/z/)"],
  ])("is a link as good as can be of %j", (block, words) => {
    expect(fitBlocks([block], nothing)).toEqual([{ type: "text", text: words }]);
  });

  it.each([image, audio])(
    "is nothing where it lacks the block's type, which is named with its place: %j",
    (block) => {
      expect(() => fitBlocks([text, block], nothing)).toThrow(
        expect.objectContaining({ code: -32602, data: { block: 1, type: block.type } }),
      );
    },
  );

  it("changes no block in place", () => {
    const blocks = [text, embedded, blob];
    const before = JSON.stringify(blocks);
    fitBlocks(blocks, nothing);
    expect(JSON.stringify(blocks)).toBe(before);
  });
});

describe("what an agent said it can read", () => {
  it("is what is true in its prompt capabilities, and nothing else", () => {
    expect(promptCapabilities({ promptCapabilities: everything })).toEqual(everything);
    const wrongly = [undefined, null, [], {}, { promptCapabilities: null }, { promptCapabilities: [true] }];
    const yes = { promptCapabilities: { image: "true", audio: 1, embeddedContext: {} } };
    for (const said of [...wrongly, yes]) expect(promptCapabilities(said)).toEqual(nothing);
  });
});

describe("a prompt's words", () => {
  it("are its texts, its links as links, and a word for what has none", () => {
    expect(plainText([text, link, embedded, blob, image])).toBe(
      "hello\n[notes.md](file:///a/notes.md)\nits words\n\n[b.bin](file:///a/b.bin)\n[image]",
    );
  });

  it("are there whatever a block lacks", () => {
    expect(plainText([{ type: "resource_link", uri: "file:///a/x" }])).toBe("[x](file:///a/x)");
    expect(plainText([{ type: "resource_link" }])).toBe("[resource](resource)");
  });

  it("hold every text", () => {
    const blocks = sequence(record({ type: constantFrom("text"), text: string() }));
    assert(
      property(blocks, (some) => {
        expect(plainText(some)).toBe(some.map(({ text: words }) => words).join("\n"));
      }),
    );
  });
});
