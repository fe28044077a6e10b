import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { promptBlocks } from "../../src/cli/prompt-blocks.ts";
import { acpSchema } from "../doubles/acp-schema.ts";
import { temporaryFolder } from "../doubles/temporary-folder.ts";

function files(contents: Record<string, string | Buffer>): (name: string) => string {
  const folder = temporaryFolder();
  for (const [name, content] of Object.entries(contents)) writeFileSync(join(folder, name), content);
  return (name) => join(folder, name);
}

const PNG = Buffer.from("\x89PNG\r\n\x1a\nrest", "latin1");

describe("a prompt's blocks", () => {
  it("are the text, the files, the images", () => {
    const at = files({ "a b.txt": "words", bytes: Buffer.from([0, 1, 0xff]), "p.dat": PNG });
    const blocks = promptBlocks({ text: "see", files: [at("a b.txt"), at("bytes")], images: [at("p.dat")] });
    expect(blocks).toMatchObject([
      { type: "text", text: "see" },
      {
        type: "resource",
        resource: { uri: expect.stringMatching(/^file:\/\/.*a%20b\.txt$/), text: "words" },
      },
      { type: "resource", resource: { blob: Buffer.from([0, 1, 0xff]).toString("base64") } },
      { type: "image", mimeType: "image/png", data: PNG.toString("base64") },
    ]);
    const check = acpSchema().request("agent", "session/prompt");
    expect(check?.({ sessionId: "s", prompt: blocks })).toBe(undefined);
  });

  it.each([
    ["image/jpeg", Buffer.from([0xff, 0xd8, 0xff, 0xe0])],
    ["image/gif", Buffer.from("GIF89a…")],
    ["image/webp", Buffer.from("RIFF1234WEBPVP8 ")],
  ])("know an %s by what is in it", (type, bytes) => {
    const at = files({ image: bytes });
    expect(promptBlocks({ text: "", files: [], images: [at("image")] })).toMatchObject([{ mimeType: type }]);
  });

  it("take nothing for an image that is none, nor a folder for a file", () => {
    const at = files({ "fake.png": "words" });
    mkdirSync(at("folder"));
    expect(() => promptBlocks({ text: "", files: [], images: [at("fake.png")] })).toThrow(
      /no PNG, JPEG, GIF or WebP/,
    );
    expect(() => promptBlocks({ text: "", files: [at("folder")], images: [] })).toThrow(/no file/);
    expect(() => promptBlocks({ text: "", files: [at("absent")], images: [] })).toThrow(/no such file/);
  });

  it("take no file that would not fit into a line", () => {
    const at = files({ large: Buffer.alloc(17 * 2 ** 20) });
    expect(() => promptBlocks({ text: "", files: [at("large")], images: [] })).toThrow(/larger than 16 MiB/);
  });
});
