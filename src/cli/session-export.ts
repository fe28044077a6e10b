import { createReadStream, createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Fields } from "../acp/checks.ts";

/**
 * One session as one file of lines: what it is (`session`), then its updates, byte for byte as clients got
 * them. It is copied as it is read, however large. MCP servers and their secrets are not in it.
 */
export async function exportSession(detail: Fields, out: string | undefined): Promise<void> {
  const { file, folder: _folder, agentSession: _agentSession, cursor, ...told } = detail;
  const head = `${JSON.stringify({ session: { ...told, cursor } })}\n`;
  // Only for whoever may read the session itself.
  const target = out === undefined ? process.stdout : createWriteStream(out, { mode: 0o600 });
  // The shell's own file or pipe stays open.
  await pipeline(Readable.from(parts(head, String(file), Number(cursor))), target, {
    end: out !== undefined,
  });
}

async function* parts(head: string, file: string, end: number): AsyncGenerator<string | Buffer> {
  yield head;
  // What is written meanwhile is not part of it.
  if (end > 0) yield* createReadStream(file, { end: end - 1 });
}
