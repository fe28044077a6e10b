import type { Fields } from "../../../acp/checks.ts";
import { textOf, wordsOf } from "../native-line.ts";
import { promptParts } from "../prompt-text.ts";

/** A prompt's blocks as the input of a turn: embedded texts stand behind everything else. */
export const turnInput = (blocks: readonly Fields[]): Fields[] =>
  promptParts(blocks, {
    text,
    other: (block) =>
      block.type === "image" ? { type: "image", url: imageUrl(block) } : text(textOf(block, "text")),
  });

/** What a user's message of before held, as ACP's blocks. */
export function blocksOf(content: readonly Fields[]): Fields[] {
  return content.map((part) => {
    const data = /^data:([^;,]+);base64,(.*)$/s.exec(textOf(part, "url"));
    if (part.type === "image" && data) return { type: "image", mimeType: data[1], data: data[2] };
    return {
      type: "text",
      text: wordsOf(part, "text") ?? wordsOf(part, "url") ?? wordsOf(part, "path") ?? "",
    };
  });
}

const text = (said: string): Fields => ({ type: "text", text: said, text_elements: [] });

function imageUrl(block: Fields): string {
  const data = textOf(block, "data");
  if (data === "") return textOf(block, "uri");
  return `data:${wordsOf(block, "mimeType") ?? "image/png"};base64,${data}`;
}
