import type { Transport } from "../wire/transport.ts";

const NEWLINE = Buffer.from("\n");

/** What is to be written to one side: gathered while a read is dispatched, then written at once. */
export class Outlet {
  readonly #to: Transport;
  #lines: Buffer[] = [];

  constructor(to: Transport) {
    this.#to = to;
  }

  /** A line, without its newline. */
  add(line: Buffer): void {
    this.#lines.push(line, NEWLINE);
  }

  tell(message: object): void {
    this.add(Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message })));
  }

  flush(): void {
    if (this.#lines.length === 0) return;
    const lines = Buffer.concat(this.#lines);
    this.#lines = [];
    this.#to.write(lines);
  }
}
