import { type Fields, fieldsOf, isFields } from "../../../src/acp/checks.ts";
import type { Transport } from "../../../src/wire/transport.ts";
import { LineCutter } from "../../doubles/line-cutter.ts";

/** What became of a request. */
export type Answer = { result: Fields } | { error: Fields };

/** A client that asks, and keeps the bytes of all updates that it gets. Its requests may stay without an answer. */
export class CrashClient {
  readonly #transport: Transport;
  readonly #asked = new Map<unknown, (answer: Answer) => void>();
  readonly #updates: Buffer[] = [];
  /** Answers to a request that had one already. */
  surplus = 0;
  onUpdate = (): void => {};
  #nextId = 1;

  constructor(transport: Transport) {
    this.#transport = transport;
    const lines = new LineCutter((line) => this.#take(line));
    transport.start({ chunk: (bytes) => lines.push(bytes), ended: () => transport.end(), closed: () => {} });
  }

  get updates(): Buffer {
    return Buffer.concat(this.#updates);
  }

  ask(method: string, params: Fields): Promise<Answer> {
    const id = this.#nextId++;
    return new Promise((resolve) => {
      this.#asked.set(id, resolve);
      this.#send({ jsonrpc: "2.0", id, method, params });
    });
  }

  notify(method: string, params: Fields): void {
    this.#send({ jsonrpc: "2.0", method, params });
  }

  leave(): void {
    this.#transport.destroy();
  }

  #send(message: Fields): void {
    this.#transport.write(Buffer.from(`${JSON.stringify(message)}\n`));
  }

  #take(line: Buffer): void {
    const message = fieldsOf(JSON.parse(line.toString()));
    if (message.method === "session/update") {
      this.#updates.push(line);
      this.onUpdate();
    }
    if (message.method !== undefined) return;
    const settle = this.#asked.get(message.id);
    this.#asked.delete(message.id);
    if (!settle) this.surplus += 1;
    else if (isFields(message.error)) settle({ error: message.error });
    else settle({ result: isFields(message.result) ? message.result : {} });
  }
}
