const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

/** The way from the top of a JSON line to one of its values: keys of objects, positions in arrays (from 0). */
export type Way = readonly (string | number)[];

/** A change to one value of a JSON line: where it stands, and the new value's text. */
export interface Edit {
  path: Way;
  json: string;
}

/**
 * Changes a few values of a JSON line and leaves every other byte as it came: unknown fields, number
 * spellings, key order. The line must be valid JSON (it has been parsed). A path that is not there is left out.
 */
export function splice(line: Buffer, edits: readonly Edit[]): Buffer {
  const cuts = edits
    .map(({ path, json }) => ({ span: spanOf(line, path), json }))
    .filter((cut): cut is { span: Span; json: string } => cut.span !== undefined)
    .sort((a, b) => a.span.start - b.span.start);
  const pieces: Buffer[] = [];
  let from = 0;
  for (const { span, json } of cuts) {
    pieces.push(line.subarray(from, span.start), Buffer.from(json));
    from = span.end;
  }
  pieces.push(line.subarray(from));
  return Buffer.concat(pieces);
}

export interface Span {
  start: number;
  /** One past the last byte. */
  end: number;
}

/** Where the value at `path` stands. Of a key that is there twice, the last: the one that JSON.parse takes. */
export function spanOf(line: Buffer, path: Way): Span | undefined {
  let span: Span | undefined = { start: skipSpace(line, 0), end: line.length };
  for (const step of path) {
    if (!span || line[span.start] !== (typeof step === "string" ? OPEN_OBJECT : OPEN_ARRAY)) return undefined;
    span = typeof step === "string" ? memberSpan(line, span.start, step) : itemSpan(line, span.start, step);
  }
  return span;
}

function itemSpan(line: Buffer, array: number, wanted: number): Span | undefined {
  let at = skipSpace(line, array + 1);
  for (let index = 0; at < line.length && line[at] !== CLOSE_ARRAY; index += 1) {
    const end = skipValue(line, at);
    if (index === wanted) return { start: at, end };
    at = skipSpace(line, end);
    if (line[at] === COMMA) at = skipSpace(line, at + 1);
  }
  return undefined;
}

function memberSpan(line: Buffer, object: number, wanted: string): Span | undefined {
  let found: Span | undefined;
  let at = skipSpace(line, object + 1);
  while (at < line.length && line[at] !== CLOSE_OBJECT) {
    const keyEnd = skipString(line, at);
    const start = skipSpace(line, skipSpace(line, keyEnd) + 1);
    const end = skipValue(line, start);
    if (isKey(line, at, keyEnd, wanted)) found = { start, end };
    at = skipSpace(line, end);
    if (line[at] === COMMA) at = skipSpace(line, at + 1);
  }
  return found;
}

function isKey(line: Buffer, start: number, end: number, wanted: string): boolean {
  const text = line.toString("utf8", start, end);
  return text === `"${wanted}"` || (text.includes("\\") && JSON.parse(text) === wanted);
}

function skipSpace(line: Buffer, from: number): number {
  let at = from;
  while (line[at] === 0x20 || line[at] === 0x09 || line[at] === 0x0a || line[at] === 0x0d) at += 1;
  return at;
}

/** From an opening quote to one past the closing one. */
function skipString(line: Buffer, open: number): number {
  let at = open;
  for (;;) {
    at = line.indexOf(QUOTE, at + 1);
    if (at === -1) return line.length;
    let slashes = 0;
    while (line[at - 1 - slashes] === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return at + 1;
  }
}

function skipValue(line: Buffer, start: number): number {
  const first = line[start];
  if (first === QUOTE) return skipString(line, start);
  if (first === OPEN_OBJECT || first === OPEN_ARRAY) return skipNested(line, start);
  let at = start;
  while (at < line.length && !endsScalar(line[at])) at += 1;
  return at;
}

function skipNested(line: Buffer, start: number): number {
  let depth = 0;
  let at = start;
  while (at < line.length) {
    const byte = line[at];
    if (byte === QUOTE) {
      at = skipString(line, at);
      continue;
    }
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth += 1;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth -= 1;
    at += 1;
    if (depth === 0) break;
  }
  return at;
}

const endsScalar = (byte: number | undefined): boolean =>
  byte === COMMA ||
  byte === COLON ||
  byte === CLOSE_OBJECT ||
  byte === CLOSE_ARRAY ||
  byte === 0x20 ||
  byte === 0x09 ||
  byte === 0x0a ||
  byte === 0x0d;
