import { PassingTransport } from "../../wire/passing.ts";

const NEWLINE = Buffer.from("\n");

/**
 * Begins each write on a line of its own. A module, and every command that it starts with the same stdout, can write
 * there past us, and what has no newline at its end would swallow our next message. A hall passes over blank lines.
 */
export class OwnLine extends PassingTransport {
  override write(bytes: Buffer): void {
    this.inner.write(Buffer.concat([NEWLINE, bytes]));
  }
}
