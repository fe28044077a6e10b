import { spanOf, splice } from "./splice.ts";

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;

/**
 * The line with a member in the object at `path`, every other byte as it came: in place of the one of that key, else
 * before all others. `json` is its value's text. A line that has no object there stays as it is.
 */
export function withMember(line: Buffer, path: readonly string[], key: string, json: string): Buffer {
  if (spanOf(line, [...path, key])) return splice(line, [{ path: [...path, key], json }]);
  const object = spanOf(line, path);
  if (!object || line[object.start] !== OPEN_OBJECT) return line;
  const inside = object.start + 1;
  const isEmpty = line[skipSpace(line, inside)] === CLOSE_OBJECT;
  const member = Buffer.from(`${JSON.stringify(key)}:${json}${isEmpty ? "" : ","}`);
  return Buffer.concat([line.subarray(0, inside), member, line.subarray(inside)]);
}

/** The line without that member of the object at `path`, and without the comma that it needed. */
export function withoutMember(line: Buffer, path: readonly string[], key: string): Buffer {
  const value = spanOf(line, [...path, key]);
  if (!value) return line;
  let start = keyStart(line, value.start);
  let end = skipSpace(line, value.end);
  if (line[end] === COMMA) end = skipSpace(line, end + 1);
  else {
    const before = skipSpaceBack(line, start);
    if (line[before - 1] === COMMA) start = before - 1;
  }
  return Buffer.concat([line.subarray(0, start), line.subarray(end)]);
}

/** Where the object at `path` has no members. */
export function isEmptyObject(line: Buffer, path: readonly string[]): boolean {
  const object = spanOf(line, path);
  if (!object || line[object.start] !== OPEN_OBJECT) return false;
  return line[skipSpace(line, object.start + 1)] === CLOSE_OBJECT;
}

/** From a value back over its colon to the opening quote of its key. */
function keyStart(line: Buffer, value: number): number {
  const colon = skipSpaceBack(line, value) - 1;
  const close = skipSpaceBack(line, colon) - 1;
  let open = close;
  do open = line.lastIndexOf(QUOTE, open - 1);
  while (isEscaped(line, open));
  return open;
}

function isEscaped(line: Buffer, at: number): boolean {
  let slashes = 0;
  while (line[at - 1 - slashes] === 0x5c) slashes += 1;
  return slashes % 2 === 1;
}

function skipSpace(line: Buffer, from: number): number {
  let at = from;
  while (isSpace(line[at])) at += 1;
  return at;
}

/** One past the last byte before `from` that is no space. */
function skipSpaceBack(line: Buffer, from: number): number {
  let at = from;
  while (isSpace(line[at - 1])) at -= 1;
  return at;
}
