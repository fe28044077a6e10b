import type { Transport } from "../wire/transport.ts";
import type { Attachment } from "./attachment.ts";

/** What a connection holds back before its client counts as one that does not read. */
const BLOCKED_BYTES = 256 * 1024;

/** Reads to a client what it lags behind: whenever there is room, each of its attachments in turn. */
export class Pump {
  readonly #transport: Transport;
  readonly #lagging = new Set<Attachment>();
  #armed = false;
  #stopped = false;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The other side does not take what was written. */
  get blocked(): boolean {
    return this.#transport.backlog > BLOCKED_BYTES;
  }

  add(attachment: Attachment): void {
    this.#lagging.add(attachment);
    this.#arm();
  }

  stop(): void {
    this.#stopped = true;
    this.#lagging.clear();
  }

  #arm(): void {
    if (this.#armed || this.#stopped) return;
    this.#armed = true;
    const run = (): void => {
      this.#armed = false;
      this.#run();
    };
    if (this.blocked) this.#transport.onDrain(run);
    else setImmediate(run);
  }

  #run(): void {
    for (const attachment of [...this.#lagging]) {
      if (this.blocked) break;
      this.#lagging.delete(attachment);
      if (attachment.pump()) this.#lagging.add(attachment);
    }
    if (this.#lagging.size > 0) this.#arm();
  }
}
