const NEWLINE = 0x0a;
const RETURN = 0x0d;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

export interface LineSink {
  /** One line, whole, without its end; never blank. */
  line(bytes: Buffer): void;
  /** A line grew past `limit` bytes. Nothing more is delivered. */
  tooLong(limit: number): void;
}

/**
 * Cuts a stream of bytes into lines at 0x0A and nowhere else: U+2028, which JSON allows inside a string,
 * is text (node:readline splits there from Node 24 on). Bytes are looked at once, however small the pieces
 * in which a long line arrives. CRLF, blank lines and one byte order mark at the very start are tolerated.
 */
export class LineSplitter {
  /** Bytes that a line may have. May change while a stream runs. */
  limit: number;
  readonly #sink: LineSink;
  #parts: Buffer[] = [];
  #held = 0;
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
    if (this.#held > 0 && !this.#stopped) this.#complete(Buffer.alloc(0));
    this.stop();
  }

  /** Delivers nothing more, not even what the current chunk still holds. */
  stop(): void {
    this.#stopped = true;
    this.#parts = [];
    this.#held = 0;
  }

  #hold(bytes: Buffer): void {
    if (this.#held + bytes.length > this.limit) {
      this.#refuse();
      return;
    }
    this.#parts.push(bytes);
    this.#held += bytes.length;
  }

  #complete(last: Buffer): void {
    if (this.#held + last.length > this.limit) {
      this.#refuse();
      return;
    }
    let bytes = last;
    if (this.#parts.length > 0) {
      bytes = Buffer.concat([...this.#parts, last]);
      this.#parts = [];
      this.#held = 0;
    }
    if (this.#atStart) {
      this.#atStart = false;
      if (bytes.subarray(0, 3).equals(BYTE_ORDER_MARK)) bytes = bytes.subarray(3);
    }
    if (bytes[bytes.length - 1] === RETURN) bytes = bytes.subarray(0, -1);
    if (!isBlank(bytes)) this.#sink.line(bytes);
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
