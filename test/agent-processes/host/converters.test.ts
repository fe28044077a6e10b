import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toContentBlocks, toModelParts } from "../../../src/agents/host/ai.ts";
import type { ContentBlock } from "../../../src/agents/host/define.ts";

const PNG = "iVBORw0KGgo=";
const annotations = { audience: ["user"], priority: 0.5 };

const BLOCKS: [string, ContentBlock][] = [
  ["text", { type: "text", text: "hello\nthere" }],
  ["text with annotations", { type: "text", text: "", annotations, _meta: { a: 1 } }],
  ["an image", { type: "image", data: PNG, mimeType: "image/png" }],
  [
    "an image with its address",
    { type: "image", data: PNG, mimeType: "image/png", uri: "file:///a.png", annotations },
  ],
  ["audio", { type: "audio", data: "AAAA", mimeType: "audio/wav", annotations }],
  [
    "a file of text",
    { type: "resource", resource: { uri: "file:///a.md", text: "# A\n</file>", mimeType: "text/markdown" } },
  ],
  [
    "a file of text without a type",
    { type: "resource", resource: { uri: "file:///a", text: "a" }, annotations },
  ],
  [
    "a file of bytes",
    { type: "resource", resource: { uri: "file:///a.bin", blob: "AAAA", mimeType: "application/x-a" } },
  ],
  ["a file of bytes without a type", { type: "resource", resource: { uri: "file:///a.bin", blob: "AAAA" } }],
  [
    "a file of bytes that are text",
    { type: "resource", resource: { uri: "file:///a.txt", blob: "YWJj", mimeType: "text/plain" } },
  ],
  ["a link", { type: "resource_link", uri: "file:///a.ts", name: "a.ts" }],
  [
    "a link with all that can be told",
    {
      type: "resource_link",
      uri: "https://a.test/b.png",
      name: "b",
      title: "B",
      description: "of b",
      mimeType: "image/png",
      size: 7,
      annotations,
    },
  ],
];

describe("blocks of a prompt, as parts of a message, and back", () => {
  it.each(BLOCKS)("[K-134, NG-136] %s is the same again", (_, block) => {
    expect(toContentBlocks(toModelParts([block]))).toEqual([block]);
    const kept: unknown = JSON.parse(JSON.stringify(toModelParts([block])));
    expect(toContentBlocks(Array.isArray(kept) ? kept : [])).toEqual([block]);
  });

  it("any text and name is the same again", () => {
    const text = fc.string({ unit: "grapheme" });
    fc.assert(
      fc.property(text, text, (uri, content) => {
        const block = { type: "resource", resource: { uri, text: content } };
        expect(toContentBlocks(toModelParts([block]))).toEqual([block]);
      }),
    );
  });

  it("tells the model the name of a file, the words of a link, the picture behind one", () => {
    expect(toModelParts(BLOCKS.map(([, block]) => block))).toMatchObject([
      { type: "text", text: "hello\nthere" },
      { type: "text", text: "" },
      { type: "image", image: PNG, mediaType: "image/png" },
      { type: "image", image: PNG, mediaType: "image/png" },
      { type: "file", data: "AAAA", mediaType: "audio/wav" },
      { type: "text", text: '<file uri="file:///a.md">\n# A\n</file>\n</file>' },
      { type: "text", text: '<file uri="file:///a">\na\n</file>' },
      { type: "file", data: "AAAA", mediaType: "application/x-a", filename: "a.bin" },
      { type: "file", data: "AAAA", mediaType: "application/octet-stream" },
      { type: "file", data: "YWJj", mediaType: "text/plain", filename: "a.txt" },
      { type: "text", text: "[a.ts](file:///a.ts)" },
      { type: "file", data: new URL("https://a.test/b.png"), mediaType: "image/png", filename: "b" },
    ]);
  });

  it.each([
    [
      "video",
      { type: "video", data: "AAAA", mimeType: "video/mp4" },
      'A block of type "video" has no counterpart in the AI SDK.',
    ],
    [
      "an image without data",
      { type: "image", mimeType: "image/png" },
      'A block of type "image" without its content has no counterpart in the AI SDK.',
    ],
  ])("%s is an error with a name", (_, block, message) => {
    expect(() => toModelParts([block])).toThrow(
      expect.objectContaining({ name: "UnsupportedContent", message }),
    );
  });
});

describe("parts of a model, as blocks", () => {
  const bytes = new Uint8Array([0, 255]);
  it.each([
    ["text", { type: "text", text: "a" }, { type: "text", text: "a" }],
    [
      "an image of bytes",
      { type: "image", image: bytes, mediaType: "image/png" },
      { type: "image", data: "AP8=", mimeType: "image/png" },
    ],
    [
      "an image whose type is not told",
      { type: "image", image: PNG },
      { type: "image", data: PNG, mimeType: "image/png" },
    ],
    [
      "an image by its address",
      { type: "image", image: new URL("https://a.test/b.png") },
      { type: "resource_link", uri: "https://a.test/b.png", name: "b.png" },
    ],
    [
      "an image in its address",
      { type: "image", image: `data:image/png;base64,${PNG}`, mediaType: "image/png" },
      { type: "image", data: PNG, mimeType: "image/png" },
    ],
    [
      "audio",
      { type: "file", data: bytes.buffer, mediaType: "audio/wav" },
      { type: "audio", data: "AP8=", mimeType: "audio/wav" },
    ],
    [
      "a file of text",
      { type: "file", data: "YWJj", mediaType: "text/plain", filename: "a b.txt" },
      { type: "resource", resource: { uri: "attachment:///a%20b.txt", mimeType: "text/plain", text: "abc" } },
    ],
    [
      "a file of bytes that say they are text",
      { type: "file", data: bytes, mediaType: "text/plain" },
      { type: "resource", resource: { uri: "attachment:///unknown", mimeType: "text/plain", blob: "AP8=" } },
    ],
    [
      "a file of bytes",
      { type: "file", data: bytes, mediaType: "application/pdf" },
      {
        type: "resource",
        resource: { uri: "attachment:///unknown", mimeType: "application/pdf", blob: "AP8=" },
      },
    ],
    [
      "a file by its address",
      { type: "file", data: "https://a.test/x", mediaType: "application/pdf", filename: "x.pdf" },
      { type: "resource_link", uri: "https://a.test/x", name: "x.pdf", mimeType: "application/pdf" },
    ],
    [
      "a generated file",
      { type: "file", file: { base64: PNG, uint8Array: bytes, mediaType: "image/png" } },
      { type: "image", data: PNG, mimeType: "image/png" },
    ],
    [
      "a source on the web",
      { type: "source", sourceType: "url", id: "1", url: "https://a.test/x" },
      { type: "resource_link", uri: "https://a.test/x", name: "x" },
    ],
    [
      "a source that is a document",
      {
        type: "source",
        sourceType: "document",
        id: "1",
        title: "X",
        mediaType: "application/pdf",
        filename: "x.pdf",
      },
      {
        type: "resource_link",
        uri: "attachment:///x.pdf",
        name: "X",
        title: "X",
        mimeType: "application/pdf",
      },
    ],
  ])("%s", (_, part, block) => {
    expect(toContentBlocks([part])).toEqual([block]);
  });

  it("[K-131] four parts are four blocks, in their order", () => {
    const parts = ["a", "b", "c", "d"].map((text) => ({ type: "text", text }));
    expect(toContentBlocks(parts)).toEqual(parts);
  });

  it.each([
    [
      "video",
      { type: "file", data: "AAAA", mediaType: "video/mp4" },
      "A file of type video/mp4 has no counterpart in ACP.",
    ],
    ["a tool call", { type: "tool-call" }, 'A part of type "tool-call" has no counterpart in ACP.'],
    [
      "a file without data",
      { type: "file", mediaType: "image/png" },
      "A file without data has no counterpart in ACP.",
    ],
  ])("%s is an error with a name", (_, part, message) => {
    expect(() => toContentBlocks([part])).toThrow(
      expect.objectContaining({ name: "UnsupportedContent", message }),
    );
  });
});
