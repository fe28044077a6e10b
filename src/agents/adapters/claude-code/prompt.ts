import type { Fields } from "../../../acp/checks.ts";
import { textOf, wordsOf } from "../native-line.ts";
import { promptParts } from "../prompt-text.ts";

/** A prompt's blocks as the content of a user message: embedded texts stand behind everything else. */
export const userContent = (blocks: readonly Fields[]): Fields[] =>
  promptParts(blocks, {
    text: (said) => text(slashCommand(said)),
    other: (block) =>
      block.type === "image"
        ? { type: "image", source: imageSource(block) }
        : text(slashCommand(textOf(block, "text"))),
  });

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
