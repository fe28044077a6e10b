import type { Transport } from "../wire/transport.ts";
import type { Attachment } from "./attachment.ts";

/** What a connection holds back before its client counts as one that does not read. */
const BLOCKED_BYTES = 256 * 1024;

/** Reads to a client what it lags behind: whenever there is room, each of its attachments in turn. */
export class Pump {
  readonly #transport: Transport;
  /** Something could not be read to it: it would miss lines, and not know. */
  readonly #broke: (error: unknown) => void;
  readonly #lagging = new Set<Attachment>();
  #armed = false;
  #stopped = false;

  constructor(transport: Transport, broke: (error: unknown) => void) {
    this.#transport = transport;
    this.#broke = broke;
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
      try {
        this.#run();
      } catch (error) {
        this.stop();
        this.#broke(error);
      }
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
