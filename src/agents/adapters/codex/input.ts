import { type Fields, isFields } from "../../../acp/checks.ts";
import { textOf, wordsOf } from "../native-line.ts";
import { contextOf, linkTo } from "../prompt-text.ts";

/** A prompt's blocks as the input of a turn: embedded texts stand behind everything else. */
export function turnInput(blocks: readonly Fields[]): Fields[] {
  const contexts: Fields[] = [];
  const items = blocks.map((block): Fields => {
    switch (block.type) {
      case "image":
        return { type: "image", url: imageUrl(block) };
      case "resource_link":
        return text(linkTo(textOf(block, "uri"), wordsOf(block, "name")));
      case "resource": {
        const resource = isFields(block.resource) ? block.resource : {};
        const uri = textOf(resource, "uri");
        if (typeof resource.text === "string") contexts.push(text(contextOf(uri, resource.text)));
        return text(linkTo(uri));
      }
      default:
        return text(textOf(block, "text"));
    }
  });
  return [...items, ...contexts];
}

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
