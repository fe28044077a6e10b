import { type Fields, isFields } from "../acp/checks.ts";
import { plainText } from "../acp/content.ts";
import { kindOf, updateOf } from "../acp/updates.ts";
import { parsed } from "../ground/json.ts";
import type { Journal } from "./journal.ts";

/** What a new agent session is told of the conversation that the old one held. */
const KEPT_BYTES = 32 * 1024;
/** How far back the journal is read for it. */
const READ_BYTES = 8 * 1024 * 1024;

const SPEAKERS: Readonly<Record<string, string>> = {
  user_message_chunk: "User",
  agent_message_chunk: "Assistant",
};

/**
 * The conversation so far as one block of a prompt, newest kept, marked as what it is. `before`: where the
 * prompt that it precedes begins. Undefined when nothing was said.
 */
export function transcriptBlock(journal: Journal, before: number): Fields | undefined {
  const said = conversation(journal, before);
  if (said === "") return undefined;
  return {
    type: "text",
    text: `<earlier-conversation>\nYour memory of this conversation was lost; this is its record, the latest part of it.\n\n${said}\n</earlier-conversation>\n`,
  };
}

function conversation(journal: Journal, before: number): string {
  let text = "";
  let speaker = "";
  for (const [who, words] of spoken(journal, before)) {
    if (who !== speaker) text += `${text === "" ? "" : "\n\n"}${who}: `;
    text += words;
    speaker = who;
  }
  return newest(text, KEPT_BYTES);
}

function* spoken(journal: Journal, before: number): Iterable<[string, string]> {
  let cursor = Math.max(0, before - READ_BYTES);
  // A line in the middle of which it begins is left out: it may be megabytes long.
  let within = !journal.file.isLineStart(cursor);
  while (cursor < before) {
    const bytes = journal.file.read(cursor, before, READ_BYTES);
    if (bytes.length === 0) return;
    cursor += bytes.length;
    const lines = bytes.toString("utf8").split("\n");
    if (within) lines.shift();
    within = false;
    for (const line of lines) {
      if (!line.includes("_message_chunk")) continue;
      const message = parsed(line);
      const update = updateOf(isFields(message) ? message.params : undefined);
      const who = SPEAKERS[kindOf(update)];
      if (who && isFields(update.content)) yield [who, plainText([update.content])];
    }
  }
}

function newest(text: string, bytes: number): string {
  const all = Buffer.from(text);
  if (all.length <= bytes) return text;
  let from = all.length - bytes;
  // Not in the middle of a character.
  while (from < all.length && ((all[from] ?? 0) & 0xc0) === 0x80) from += 1;
  return `[…]${all.toString("utf8", from)}`;
}
