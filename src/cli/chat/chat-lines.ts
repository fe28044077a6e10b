import { createInterface } from "node:readline";
import type { Chat } from "./chat.ts";

/**
 * A chat whose prompts come line by line from a file or a program: each is sent when the one before is over. A
 * backslash at its end joins a line with the next. Resolves with the exit code: that of the last turn.
 */
export async function chatByLines(chat: Chat, input: NodeJS.ReadableStream): Promise<number> {
  const lines = createInterface({ input, crlfDelay: Infinity });
  const close = (): void => lines.close();
  chat.over.then(close, close);
  let text = "";
  for await (const line of lines) {
    if (line.endsWith("\\")) {
      text += `${line.slice(0, -1)}\n`;
      continue;
    }
    await chat.typed(text + line);
    text = "";
    await Promise.race([chat.untilIdle(), chat.over]);
  }
  // Where there was no line it may not have begun yet; where the last one was to be joined, nothing came.
  await Promise.race([chat.typed(text).then(() => chat.untilIdle()), chat.over]);
  chat.leave();
  return chat.over;
}
