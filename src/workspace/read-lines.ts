import type { FileHandle } from "node:fs/promises";
import { invalidParams } from "../acp/errors.ts";

const MIB = 1024 ** 2;
/** Bytes of one answer. A file without an end (a log that is being written) ends here too. */
const ANSWER_BYTES = 16 * MIB;
/** Bytes that are looked through for the first line asked for. */
const SEARCH_BYTES = 256 * MIB;
const CHUNK_BYTES = 256 * 1024;
const NEWLINE = 0x0a;

/**
 * The text of an open file from line `first` (1 is the first) on, `limit` lines of it or all, each with its line
 * end as it stands there: parts put together are the file. Past the end it is empty. Bytes that are no UTF-8 become
 * U+FFFD. Rejects with an RpcError when that is more than the bounds above, or with Node's own.
 */
export async function readLines(
  file: FileHandle,
  path: string,
  first: number,
  limit: number | undefined,
): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  let toSkip = first - 1;
  let toTake = limit ?? Number.POSITIVE_INFINITY;
  for (let position = 0; toTake > 0; ) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    const chunk = buffer.subarray(0, bytesRead);
    const skipped = linesIn(chunk, toSkip);
    toSkip -= skipped.lines;
    if (toSkip > 0) {
      if (position > SEARCH_BYTES) throw tooFar(path, first);
      continue;
    }
    const rest = chunk.subarray(skipped.end);
    const taken = linesIn(rest, toTake);
    toTake -= taken.lines;
    size += taken.end;
    if (size > ANSWER_BYTES) throw tooLarge(path);
    parts.push(rest.subarray(0, taken.end));
  }
  return Buffer.concat(parts).toString("utf8");
}

/** How many of `wanted` lines end in `bytes`, and where the last of them does; all of `bytes` if fewer do. */
function linesIn(bytes: Buffer, wanted: number): { lines: number; end: number } {
  let end = 0;
  for (let lines = 0; lines < wanted; lines++) {
    const newline = bytes.indexOf(NEWLINE, end);
    if (newline === -1) return { lines, end: bytes.length };
    end = newline + 1;
  }
  return { lines: wanted, end };
}

const tooLarge = (path: string) =>
  invalidParams(
    `What was asked for of ${path} is more than ${ANSWER_BYTES / MIB} MiB: ask for a part of it, with "line" and "limit".`,
    { path, limit: ANSWER_BYTES },
  );

const tooFar = (path: string, line: number) =>
  invalidParams(
    `Line ${line} of ${path} lies more than ${SEARCH_BYTES / MIB} MiB into the file: use a terminal to look there.`,
    {
      path,
    },
  );
