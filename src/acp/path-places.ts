import type { Way } from "../wire/splice.ts";
import { type Fields, isFields } from "./checks.ts";
import { ClientMethod } from "./methods.ts";

/** A place in ACP's words where a path stands, or an address that may be one of a file. */
export interface PathPlace {
  way: Way;
  text: string;
  is: "path" | "uri";
}

/** What an update tells of, from `update` on: where a tool is at work, what it changed, what is linked. */
export function pathsOfUpdate(update: Fields): PathPlace[] {
  return [...pathsOfToolCall(update), ...pathsOfBlock(update.content, ["content"])];
}

/** A tool call, or what is new of one: in an update, or in a question (`toolCall`). */
export function pathsOfToolCall({ locations, content }: Fields, from: Way = []): PathPlace[] {
  return [
    ...itemsOf(locations).flatMap((location, at) => field(location, "path", [...from, "locations", at])),
    ...itemsOf(content).flatMap((part, at) => pathsOfPart(part, [...from, "content", at])),
  ];
}

/** Of a tool call's content: what it changed, or a block. */
function pathsOfPart(part: unknown, way: Way): PathPlace[] {
  if (!isFields(part)) return [];
  if (part.type === "diff") return field(part, "path", way);
  return pathsOfBlock(part.content, [...way, "content"]);
}

/** A content block: a link, or a resource that is in it. */
export function pathsOfBlock(block: unknown, way: Way): PathPlace[] {
  if (!isFields(block)) return [];
  if (block.type === "resource") return field(block.resource, "uri", [...way, "resource"], "uri");
  return block.type === "resource_link" || block.type === "image" ? field(block, "uri", way, "uri") : [];
}

/** What a request of the agent's asks for, from `params` on. */
export function pathsOfRequest(method: string, params: Fields): PathPlace[] {
  switch (method) {
    case ClientMethod.readTextFile:
    case ClientMethod.writeTextFile:
      return field(params, "path", []);
    case ClientMethod.createTerminal:
      return field(params, "cwd", []);
    case ClientMethod.requestPermission:
      return isFields(params.toolCall) ? pathsOfToolCall(params.toolCall, ["toolCall"]) : [];
    default:
      return [];
  }
}

function field(holder: unknown, key: string, way: Way, is: PathPlace["is"] = "path"): PathPlace[] {
  const text = isFields(holder) ? holder[key] : undefined;
  return typeof text === "string" ? [{ way: [...way, key], text, is }] : [];
}

const itemsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
