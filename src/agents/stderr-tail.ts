/** Bounds of what is kept, and of one line. */
const KEPT_BYTES = 64 * 1024;
const KEPT_LINES = 200;
const LINE_BYTES = 4 * 1024;

const NEWLINE = 0x0a;

/**
 * The end of what an agent wrote to stderr, line by line. It takes everything, so that the agent never waits for
 * a reader, and keeps little. A line is decoded as a whole: a character is never cut by where a read ended.
 */
export class StderrTail {
  readonly #sink: (line: string) => void;
  readonly #lines: string[] = [];
  #kept = 0;
  #open: Buffer[] = [];
  #openBytes = 0;
  #cut = false;

  constructor(sink: (line: string) => void = () => {}) {
    this.#sink = sink;
  }

  push(bytes: Buffer): void {
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
      this.#gather(bytes.subarray(start, end));
      this.#finish();
      start = end + 1;
    }
    this.#gather(bytes.subarray(start));
  }

  /** Nothing more comes: what stands without a newline is a line too. */
  end(): void {
    if (this.#openBytes > 0 || this.#cut) this.#finish();
  }

  /** The last lines, oldest first. */
  last(lines: number): string[] {
    return lines > 0 ? this.#lines.slice(-lines) : [];
  }

  #gather(bytes: Buffer): void {
    const room = LINE_BYTES - this.#openBytes;
    if (bytes.length > room) this.#cut = true;
    if (bytes.length === 0 || room === 0) return;
    // A copy: the chunk it is a part of may be a large one, and is not to be kept for a line.
    const part = Buffer.from(bytes.subarray(0, room));
    this.#open.push(part);
    this.#openBytes += part.length;
  }

  #finish(): void {
    const bytes = Buffer.concat(this.#open);
    const line = this.#cut ? `${wholeCharacters(bytes)}…` : bytes.toString("utf8").replace(/\r$/, "");
    this.#open = [];
    this.#openBytes = 0;
    this.#cut = false;
    this.#lines.push(line);
    this.#kept += Buffer.byteLength(line);
    while (this.#lines.length > KEPT_LINES || this.#kept > KEPT_BYTES) {
      this.#kept -= Buffer.byteLength(this.#lines.shift() ?? "");
    }
    this.#sink(line);
  }
}

/** Text up to a cut, without the beginning of a character that the cut went through. */
function wholeCharacters(bytes: Buffer): string {
  let lead = bytes.length - 1;
  while (lead > bytes.length - 4 && lead > 0 && isContinuation(bytes[lead])) lead--;
  const complete = lead + lengthOf(bytes[lead]) <= bytes.length;
  return bytes.subarray(0, complete ? bytes.length : lead).toString("utf8");
}

const isContinuation = (byte = 0): boolean => (byte & 0b1100_0000) === 0b1000_0000;

/** Bytes of the character that begins with this one (UTF-8). */
function lengthOf(byte = 0): number {
  if (byte >= 0b1111_0000) return 4;
  if (byte >= 0b1110_0000) return 3;
  return byte >= 0b1100_0000 ? 2 : 1;
}
