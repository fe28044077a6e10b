import { type Fields, isFields } from "../../../acp/checks.ts";
import type { ContentBlock } from "../content-block.ts";
import { fieldsKeptIn } from "./kept-fields.ts";
import { fileText, lastSegment } from "./model-parts.ts";
import { UnsupportedContent } from "./unsupported-content.ts";

/**
 * Parts of the AI SDK's messages and streams (text, image, file, generated file, source) as ACP's content blocks, in
 * their order.
 *
 * @throws UnsupportedContent for what ACP has no block for: video, reasoning, tool calls
 */
export const toContentBlocks = (parts: readonly object[]): ContentBlock[] =>
  parts.map((part) => blockOf({ ...part }));

function blockOf(part: Fields): ContentBlock {
  switch (part.type) {
    case "text":
      return textBlock(part);
    case "image":
      return fileBlock(part, part.image, part.mediaType);
    case "file": {
      // In a stream a file is an object of its own.
      const { file } = part;
      if (isGeneratedFile(file)) return fileBlock(part, file.base64, file.mediaType);
      return fileBlock(part, part.data, part.mediaType);
    }
    case "source":
      return sourceBlock(part);
    default:
      throw new UnsupportedContent(`A part of type ${JSON.stringify(part.type)}`, "ACP");
  }
}

/** A generated file has getters, which no copy of it has. */
const isGeneratedFile = (file: unknown): file is { base64: string; mediaType: string } =>
  typeof file === "object" && file !== null && "base64" in file && "mediaType" in file;

function textBlock(part: Fields): ContentBlock {
  const text = String(part.text);
  const { type, ...kept } = fieldsKeptIn(part);
  if (type === "resource_link") return { ...kept, type };
  if (type !== "resource") return { type: "text", text, ...kept };
  const { resource, ...rest } = kept;
  const about = isFields(resource) ? resource : {};
  const [before = "", after = ""] = fileText(String(about.uri), "\0").split("\0");
  return {
    type,
    resource: { ...about, uri: String(about.uri), text: text.slice(before.length, -after.length) },
    ...rest,
  };
}

function fileBlock(part: Fields, data: unknown, mediaType: unknown): ContentBlock {
  const { type, ...kept } = fieldsKeptIn(part);
  if (type === "resource_link") return { ...kept, type };
  const address = addressOf(data);
  if (address !== undefined) return linkBlock(address, part, mediaType);
  const base64 = base64Of(data);
  const mimeType = typeof mediaType === "string" && mediaType !== "image/*" ? mediaType : sniffed(base64);
  if (type === "resource") {
    const { resource, ...rest } = kept;
    return { type, resource: { uri: "", ...(isFields(resource) ? resource : {}), blob: base64 }, ...rest };
  }
  const [family] = mimeType.split("/");
  if (family === "image" || family === "audio") return { type: family, data: base64, mimeType, ...kept };
  if (family === "video") throw new UnsupportedContent(`A file of type ${mimeType}`, "ACP");
  return {
    type: "resource",
    resource: { uri: attachment(part.filename), mimeType, ...embedded(base64, family) },
  };
}

/** Text is text where it is UTF-8; everything else stays base64. */
function embedded(base64: string, family: string | undefined): { text: string } | { blob: string } {
  if (family !== "text") return { blob: base64 };
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(base64, "base64")) };
  } catch {
    return { blob: base64 };
  }
}

function linkBlock(uri: string, { filename }: Fields, mediaType: unknown): ContentBlock {
  const name = typeof filename === "string" ? filename : lastSegment(uri);
  const mimeType = typeof mediaType === "string" ? { mimeType: mediaType } : {};
  return { type: "resource_link", uri, name, ...mimeType };
}

function sourceBlock({ url, title, filename, mediaType }: Fields): ContentBlock {
  const uri = typeof url === "string" ? url : attachment(filename);
  const named = typeof title === "string" ? { title } : {};
  return { ...linkBlock(uri, { filename: title ?? filename }, mediaType), ...named };
}

/** A file that came without an address has one that says so. */
const attachment = (filename: unknown): string =>
  `attachment:///${typeof filename === "string" ? encodeURIComponent(filename) : "unknown"}`;

function addressOf(data: unknown): string | undefined {
  if (!(data instanceof URL) && typeof data !== "string") return undefined;
  const text = String(data);
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : undefined;
}

function base64Of(data: unknown): string {
  if (data instanceof Uint8Array) return Buffer.from(data).toString("base64");
  if (data instanceof ArrayBuffer) return Buffer.from(data).toString("base64");
  const text = data instanceof URL ? data.href : data;
  if (typeof text !== "string") throw new UnsupportedContent("A file without data", "ACP");
  const [, encoding = "", body = ""] = /^data:[^,]*?(;base64)?,(.*)$/s.exec(text) ?? [];
  if (!text.startsWith("data:")) return text;
  return encoding === "" ? Buffer.from(decodeURIComponent(body)).toString("base64") : body;
}

/** How the base64 of well-known kinds of picture begins. */
const PICTURES = { iVBORw0KGgo: "image/png", "/9j/": "image/jpeg", R0lGOD: "image/gif", UklGR: "image/webp" };

const sniffed = (base64: string): string =>
  Object.entries(PICTURES).find(([beginning]) => base64.startsWith(beginning))?.[1] ??
  "application/octet-stream";
