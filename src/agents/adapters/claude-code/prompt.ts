import { type Fields, isFields } from "../../../acp/checks.ts";
import { textOf, wordsOf } from "../native-line.ts";
import { contextOf, linkTo } from "../prompt-text.ts";

/** A prompt's blocks as the content of a user message: embedded texts stand behind everything else. */
export function userContent(blocks: readonly Fields[]): Fields[] {
  const contexts: Fields[] = [];
  const words = blocks.map((block): Fields => {
    switch (block.type) {
      case "image":
        return { type: "image", source: imageSource(block) };
      case "resource_link":
        return text(linkTo(textOf(block, "uri"), wordsOf(block, "name")));
      case "resource": {
        const resource = isFields(block.resource) ? block.resource : {};
        const uri = textOf(resource, "uri");
        if (typeof resource.text === "string") contexts.push(text(contextOf(uri, resource.text)));
        return text(linkTo(uri));
      }
      default:
        return text(slashCommand(textOf(block, "text")));
    }
  });
  return [...words, ...contexts];
}

const text = (said: string): Fields => ({ type: "text", text: said });

/** What a menu calls `/mcp:server:command` Claude Code knows as `/server:command (MCP)`. */
const slashCommand = (said: string): string =>
  said.replace(
    /^\/mcp:([^:\s]+):(\S+)(.*)$/s,
    (_, server, command, rest) => `/${server}:${command} (MCP)${rest}`,
  );

function imageSource(block: Fields): Fields {
  const uri = textOf(block, "uri");
  const data = textOf(block, "data");
  if (data === "" && /^https?:/.test(uri)) return { type: "url", url: uri };
  return { type: "base64", media_type: wordsOf(block, "mimeType") ?? "image/png", data };
}
