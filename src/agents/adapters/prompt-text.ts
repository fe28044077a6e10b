import { type Fields, isFields } from "../../acp/checks.ts";
import { textOf, wordsOf } from "./native-line.ts";

/** How a program takes a part of a prompt. */
interface PartForms<Part> {
  text(said: string): Part;
  /** An image, or what else is neither a text nor a resource. */
  other(block: Fields): Part;
}

/** A prompt's blocks in a program's own parts: a resource as a link, embedded texts behind everything else. */
export function promptParts<Part>(blocks: readonly Fields[], { text, other }: PartForms<Part>): Part[] {
  const contexts: Part[] = [];
  const words = blocks.map((block) => {
    switch (block.type) {
      case "text":
        return text(textOf(block, "text"));
      case "resource_link":
        return text(linkTo(textOf(block, "uri"), wordsOf(block, "name")));
      case "resource": {
        const resource = isFields(block.resource) ? block.resource : {};
        const uri = textOf(resource, "uri");
        if (typeof resource.text === "string") contexts.push(text(contextOf(uri, resource.text)));
        return text(linkTo(uri));
      }
      default:
        return other(block);
    }
  });
  return [...words, ...contexts];
}

/**
 * A prompt as one text, for programs that read nothing else: text as it is, a link as a link, an embedded text behind
 * the link in a `<context>` of its own, after everything else. What has no text is named.
 */
export const promptText = (blocks: readonly Fields[]): string =>
  promptParts(blocks, { text: (said) => said, other: ({ type }) => `[${String(type)}]` }).join("\n");

/** As people write a link to a file in a prompt; one without a name is called after the last part of its place. */
function linkTo(uri: string, name?: string): string {
  const last = uri.split("/").filter(Boolean).at(-1) ?? uri;
  return `[@${name ?? last}](${uri})`;
}

const contextOf = (uri: string, text: string): string => `\n<context ref="${uri}">\n${text}\n</context>`;
