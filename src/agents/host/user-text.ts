import { type Fields, isFields } from "../../acp/checks.ts";
import { linkTo } from "../../acp/content.ts";

/**
 * What a person said in a prompt, as one text: the text of each block, joined with single spaces. A link, and a file
 * that is no text, stand as `[name](uri)`; images and audio have none.
 */
export const userText = (blocks: readonly Fields[]): string => blocks.flatMap(textOf).join(" ");

function textOf(block: Fields): string[] {
  if (block.type === "text") return typeof block.text === "string" ? [block.text] : [];
  if (block.type === "resource_link") return [linkTo(block)];
  if (block.type !== "resource" || !isFields(block.resource)) return [];
  const { text } = block.resource;
  return [typeof text === "string" ? text : linkTo(block.resource)];
}
