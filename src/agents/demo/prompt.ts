import { type Fields, requiredArray } from "../../acp/checks.ts";
import { promptBlocks } from "../../acp/content.ts";

/** What a client asked. */
export interface Prompt {
  /** What was typed, without what was attached: a file's words are not the person's. */
  text: string;
  /** Blocks that are no text: files, links, images. */
  attachments: number;
}

/** Throws -32602 naming the block that is none. */
export function readPrompt(params: Fields): Prompt {
  const blocks = promptBlocks(requiredArray(params, "prompt"));
  const texts = blocks.filter(({ type }) => type === "text");
  return {
    text: texts.map(({ text }) => String(text)).join("\n"),
    attachments: blocks.length - texts.length,
  };
}
