import { isFields, metaOf } from "../acp/checks.ts";
import { HallKey } from "../acp/extensions.ts";
import { AgentMethod } from "../acp/methods.ts";
import { LineSplitter } from "../wire/lines.ts";
import { readMessage } from "../wire/message.ts";
import { PassingTransport } from "../wire/passing.ts";
import { splice } from "../wire/splice.ts";
import type { Transport } from "../wire/transport.ts";

const NEWLINE = Buffer.from("\n");

/** A transport that shows a token: puts it into the first `initialize` that goes out; all else stays as it is. */
export class Bearer extends PassingTransport {
  readonly #token: string;
  readonly #lines: LineSplitter;
  #shown = false;

  constructor(inner: Transport, token: string) {
    super(inner);
    this.#token = token;
    this.#lines = new LineSplitter(Number.POSITIVE_INFINITY, {
      line: (bytes) => inner.write(Buffer.concat([this.#shown ? bytes : this.#show(bytes), NEWLINE])),
      tooLong: () => {},
    });
  }

  override write(bytes: Buffer): void {
    // What is written together may hold more than the first line.
    if (this.#shown) super.write(bytes);
    else this.#lines.push(bytes);
  }

  #show(line: Buffer): Buffer {
    const message = readMessage(line);
    if (message.kind !== "request" || message.method !== AgentMethod.initialize) return line;
    const { params } = message;
    if (!isFields(params)) return line;
    this.#shown = true;
    const meta = { ...metaOf(params), [HallKey.token]: this.#token };
    if (isFields(params._meta))
      return splice(line, [{ path: ["params", "_meta"], json: JSON.stringify(meta) }]);
    return splice(line, [{ path: ["params"], json: JSON.stringify({ ...params, _meta: meta }) }]);
  }
}
