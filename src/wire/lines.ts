const NEWLINE = 0x0a;
const RETURN = 0x0d;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const NOTHING: Buffer = Buffer.alloc(0);

export interface LineSink {
  /** One line, whole, without its end; never blank. */
  line(bytes: Buffer): void;
  /** A line grew past `limit` bytes. Nothing more is delivered. */
  tooLong(limit: number): void;
}

/**
 * Cuts a stream of bytes into lines at 0x0A and nowhere else: U+2028, which JSON allows inside a string,
 * is text (node:readline splits there from Node 24 on). However small the pieces in which a long line arrives,
 * each byte is looked at once, and what is kept is a few times the line at most. CRLF, blank lines and one byte
 * order mark at the very start are tolerated.
 */
export class LineSplitter {
  /** Bytes that a line may have. May change while a stream runs. */
  limit: number;
  readonly #sink: LineSink;
  /** The line that has no end yet, and how many of these bytes are its. */
  #begun: Buffer = NOTHING;
  #length = 0;
  #atStart = true;
  #stopped = false;

  constructor(limit: number, sink: LineSink) {
    this.limit = limit;
    this.#sink = sink;
  }

  push(chunk: Buffer): void {
    let start = 0;
    while (!this.#stopped) {
      const end = chunk.indexOf(NEWLINE, start);
      if (end === -1) break;
      this.#complete(chunk.subarray(start, end));
      start = end + 1;
    }
    if (!this.#stopped && start < chunk.length) this.#hold(chunk.subarray(start));
  }

  /** The stream is over: what stands there without a newline is a line too. */
  end(): void {
    if (this.#length > 0 && !this.#stopped) this.#complete(NOTHING);
    this.stop();
  }

  /** Delivers nothing more, not even what the current chunk still holds. */
  stop(): void {
    this.#stopped = true;
    this.#begun = NOTHING;
    this.#length = 0;
  }

  /** Keeps them by copy: a chunk of one byte would cost a hundred times that. */
  #hold(bytes: Buffer): void {
    const length = this.#length + bytes.length;
    if (length > this.#begun.length) {
      const roomier = Buffer.allocUnsafe(Math.max(length, this.#begun.length * 2));
      this.#begun.copy(roomier, 0, 0, this.#length);
      this.#begun = roomier;
    }
    this.#begun.set(bytes, this.#length);
    this.#length = length;
    if (this.#plain(this.#begun.subarray(0, length)).length > this.limit) this.#refuse();
  }

  #complete(last: Buffer): void {
    let bytes = last;
    if (this.#length > 0) {
      bytes = Buffer.concat([this.#begun.subarray(0, this.#length), last]);
      this.#begun = NOTHING;
      this.#length = 0;
    }
    const line = this.#plain(bytes);
    this.#atStart = false;
    if (line.length > this.limit) this.#refuse();
    else if (!isBlank(line)) this.#sink.line(line);
  }

  /** Without what is tolerated around a line: it does not count. */
  #plain(bytes: Buffer): Buffer {
    const marked = this.#atStart && bytes.subarray(0, 3).equals(BYTE_ORDER_MARK);
    const end = bytes[bytes.length - 1] === RETURN ? bytes.length - 1 : bytes.length;
    return bytes.subarray(marked ? 3 : 0, end);
  }

  #refuse(): void {
    this.stop();
    this.#sink.tooLong(this.limit);
  }
}

function isBlank(bytes: Buffer): boolean {
  for (const byte of bytes) if (byte !== 0x20 && byte !== 0x09) return false;
  return true;
}
