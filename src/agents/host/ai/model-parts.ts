import type { FilePart, ImagePart, TextPart } from "ai";
import { type Fields, isFields } from "../../../acp/checks.ts";
import type { ContentBlock } from "../content-block.ts";
import { keptFields } from "./kept-fields.ts";
import { UnsupportedContent } from "./unsupported-content.ts";

/** What a user's message to a model is made of. */
export type ModelPart = TextPart | ImagePart | FilePart;

/** Media that models take by their address. */
const FETCHED = /^(image|audio)\/|^application\/pdf$/;

/**
 * A prompt's blocks as parts of the AI SDK's user message, in their order.
 *
 * @throws UnsupportedContent for a type of block that models are not told of
 */
export const toModelParts = (blocks: readonly ContentBlock[]): ModelPart[] => blocks.map(partOf);

function partOf(block: Fields): ModelPart {
  switch (block.type) {
    case "text": {
      const { type, text, ...rest } = block;
      return { type: "text", text: textOf(text, "text"), ...keptFields(rest) };
    }
    case "image": {
      const { type, data, mimeType, ...rest } = block;
      return {
        type: "image",
        image: textOf(data, "image"),
        mediaType: mediaTypeOf(mimeType),
        ...keptFields(rest),
      };
    }
    case "audio": {
      const { type, data, mimeType, ...rest } = block;
      return {
        type: "file",
        data: textOf(data, "audio"),
        mediaType: mediaTypeOf(mimeType),
        ...keptFields(rest),
      };
    }
    case "resource":
      return resourcePart(block);
    case "resource_link":
      return linkPart(block);
    default:
      throw new UnsupportedContent(`A block of type ${JSON.stringify(block.type)}`, "the AI SDK");
  }
}

function resourcePart({ type, resource, ...rest }: Fields): ModelPart {
  const { text, blob, mimeType, ...about } = isFields(resource) ? resource : {};
  if (typeof text === "string") {
    const kept = keptFields({ ...rest, type, resource: { ...about, mimeType } });
    return { type: "text", text: fileText(String(about.uri), text), ...kept };
  }
  const kept = keptFields({ ...rest, type, resource: { ...about, mimeType } });
  const filename = lastSegment(String(about.uri));
  return {
    type: "file",
    data: textOf(blob, "resource"),
    mediaType: mediaTypeOf(mimeType),
    filename,
    ...kept,
  };
}

/** A model is told the name with the text: a question is often about one of several files. */
export const fileText = (uri: string, text: string): string =>
  `<file uri=${JSON.stringify(uri)}>\n${text}\n</file>`;

/** A link to a picture, a sound or a PDF is handed on as one; any other is told as text. */
function linkPart(block: Fields): ModelPart {
  const { uri, name, mimeType } = block;
  const address = textOf(uri, "resource_link");
  const kept = keptFields(block);
  if (typeof mimeType === "string" && FETCHED.test(mimeType) && /^https?:/.test(address)) {
    return { type: "file", data: new URL(address), mediaType: mimeType, filename: String(name), ...kept };
  }
  return { type: "text", text: `[${String(name)}](${address})`, ...kept };
}

function textOf(value: unknown, type: string): string {
  if (typeof value === "string") return value;
  throw new UnsupportedContent(`A block of type ${JSON.stringify(type)} without its content`, "the AI SDK");
}

const mediaTypeOf = (mimeType: unknown): string =>
  typeof mimeType === "string" && mimeType !== "" ? mimeType : "application/octet-stream";

export const lastSegment = (uri: string): string => uri.split("/").filter(Boolean).at(-1) ?? uri;
