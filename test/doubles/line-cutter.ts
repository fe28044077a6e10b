const NEWLINE = 0x0a;

/** Cuts bytes into lines, newline included: with no limit and no leniency, unlike what it is a check of. */
export class LineCutter {
  readonly #line: (bytes: Buffer) => void;
  #parts: Buffer[] = [];

  constructor(line: (bytes: Buffer) => void) {
    this.#line = line;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const bytes = Buffer.concat([...this.#parts, chunk.subarray(start, end + 1)]);
      this.#parts = [];
      start = end + 1;
      this.#line(bytes);
    }
    if (start < chunk.length) this.#parts.push(chunk.subarray(start));
  }

  /** Bytes of a line that is not whole yet. */
  get held(): number {
    return this.#parts.reduce((sum, part) => sum + part.length, 0);
  }

  forget(): void {
    this.#parts = [];
  }
}
