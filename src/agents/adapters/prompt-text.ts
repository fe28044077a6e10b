import { type Fields, isFields } from "../../acp/checks.ts";
import { textOf, wordsOf } from "./native-line.ts";

/**
 * A prompt as one text, for programs that read nothing else: text as it is, a link as a link, an embedded text behind
 * the link in a `<context>` of its own, after everything else. What has no text is named.
 */
export function promptText(blocks: readonly Fields[]): string {
  const contexts: string[] = [];
  const words = blocks.map((block) => {
    switch (block.type) {
      case "text":
        return textOf(block, "text");
      case "resource_link":
        return linkTo(textOf(block, "uri"), wordsOf(block, "name"));
      case "resource": {
        const resource = isFields(block.resource) ? block.resource : {};
        const uri = textOf(resource, "uri");
        if (typeof resource.text === "string") contexts.push(contextOf(uri, resource.text));
        return linkTo(uri);
      }
      default:
        return `[${String(block.type)}]`;
    }
  });
  return [...words, ...contexts].join("\n");
}

/** As people write a link to a file in a prompt; one without a name is called after the last part of its place. */
export function linkTo(uri: string, name?: string): string {
  const last = uri.split("/").filter(Boolean).at(-1) ?? uri;
  return `[@${name ?? last}](${uri})`;
}

export const contextOf = (uri: string, text: string): string =>
  `\n<context ref="${uri}">\n${text}\n</context>`;
