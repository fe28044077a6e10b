import { isUtf8 } from "node:buffer";
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { Fields } from "../acp/checks.ts";
import { codeOf } from "../ground/thrown.ts";
import { UsageError } from "./usage.ts";

/** What one file may have: with its encoding, well below the longest line that a hall takes. */
const MOST_BYTES = 16 * 2 ** 20;

/** The first bytes of the images that agents take. */
const IMAGES: readonly { type: string; is(bytes: Buffer): boolean }[] = [
  {
    type: "image/png",
    is: (bytes) => bytes.subarray(0, 8).equals(Buffer.from("\x89PNG\r\n\x1a\n", "latin1")),
  },
  { type: "image/jpeg", is: (bytes) => bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff])) },
  { type: "image/gif", is: (bytes) => /^GIF8[79]a/.test(bytes.toString("latin1", 0, 6)) },
  { type: "image/webp", is: (bytes) => /^RIFF....WEBP/s.test(bytes.toString("latin1", 0, 12)) },
];

export interface PromptParts {
  text: string;
  /** Paths. */
  files: readonly string[];
  /** Paths. */
  images: readonly string[];
}

/** A prompt as ACP's content blocks: the text, the files with what is in them, the images. Throws a UsageError. */
export function promptBlocks({ text, files, images }: PromptParts): Fields[] {
  return [
    ...(text === "" ? [] : [{ type: "text", text }]),
    ...files.map(fileBlock),
    ...images.map(imageBlock),
  ];
}

/** With what is in it: the hall may be on another machine, and gives agents that take no resources the text. */
function fileBlock(named: string): Fields {
  const file = path.resolve(named);
  const bytes = read(file);
  const uri = pathToFileURL(file).href;
  const isText = isUtf8(bytes) && !bytes.includes(0);
  return {
    type: "resource",
    resource: isText
      ? { uri, mimeType: "text/plain", text: bytes.toString("utf8") }
      : { uri, mimeType: "application/octet-stream", blob: bytes.toString("base64") },
  };
}

function imageBlock(named: string): Fields {
  const file = path.resolve(named);
  const bytes = read(file);
  const image = IMAGES.find(({ is }) => is(bytes));
  if (!image)
    throw new UsageError(`${file} is no PNG, JPEG, GIF or WebP; convert it, or send it with --file.`);
  return {
    type: "image",
    mimeType: image.type,
    data: bytes.toString("base64"),
    uri: pathToFileURL(file).href,
  };
}

function read(file: string): Buffer {
  let stats: fs.Stats;
  try {
    stats = fs.statSync(file);
  } catch (error) {
    throw new UsageError(`${file} cannot be sent: ${reason(error)}.`);
  }
  if (!stats.isFile()) throw new UsageError(`${file} is no file; name the files in it one by one.`);
  if (stats.size > MOST_BYTES)
    throw new UsageError(
      `${file} is larger than ${MOST_BYTES / 2 ** 20} MiB; name its path in the text instead.`,
    );
  try {
    return fs.readFileSync(file);
  } catch (error) {
    throw new UsageError(`${file} cannot be sent: ${reason(error)}.`);
  }
}

function reason(error: unknown): string {
  const code = codeOf(error);
  if (code === "ENOENT") return "there is no such file";
  if (code === "EACCES") return "this user may not read it";
  return String(error);
}
