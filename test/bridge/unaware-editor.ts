import { resultOf } from "../../src/acp/checks.ts";
import type { Transport } from "../../src/wire/transport.ts";
import { LineCutter } from "../doubles/line-cutter.ts";
import type { Message } from "../doubles/message.ts";

/** An editor that knows nothing of halls, nor of connections: it asks, it answers, it keeps what it was shown. */
export class UnawareEditor {
  /** All lines that came, with their newlines. */
  readonly lines: string[] = [];
  readonly #transport: Transport;
  /** How often each of its requests was answered, by its number. */
  readonly answers: number[] = [];
  readonly #waiting = new Map<unknown, (answer: Message) => void>();
  #seen: (() => void)[] = [];

  constructor(transport: Transport) {
    this.#transport = transport;
    const cutter = new LineCutter((bytes) => this.#came(bytes.toString()));
    transport.start({ chunk: (bytes) => cutter.push(bytes), ended() {}, closed() {} });
  }

  /** Resolves with the answer, a result or an error. */
  ask(method: string, params: object): Promise<Message> {
    const id = this.answers.push(0) - 1;
    const answer = new Promise<Message>((resolve) => this.#waiting.set(id, resolve));
    this.#say({ id, method, params });
    return answer;
  }

  tell(method: string, params: object): void {
    this.#say({ method, params });
  }

  /** The update lines of a session. */
  updates(sessionId: string): string[] {
    const ofSession = `"sessionId":${JSON.stringify(sessionId)}`;
    return this.lines.filter((line) => line.includes('"session/update"') && line.includes(ofSession));
  }

  /** Requests of this method that were shown. */
  shown(method: string): number {
    return this.lines.filter((line) => line.includes(`"method":"${method}"`)).length;
  }

  /** Resolves when a line like this has come. */
  async sees(text: string): Promise<void> {
    while (!this.lines.some((line) => line.includes(text)))
      await new Promise<void>((resolve) => this.#seen.push(resolve));
  }

  #came(line: string): void {
    this.lines.push(line);
    const message: Message = JSON.parse(line);
    if (message.method === undefined) this.#answered(message);
    else if (message.id !== undefined) setImmediate(() => this.#answer(message));
    for (const ring of this.#seen.splice(0)) ring();
  }

  #answered(message: Message): void {
    const id = Number(message.id);
    this.answers[id] = (this.answers[id] ?? 0) + 1;
    this.#waiting.get(id)?.(message);
  }

  #answer({ id, method }: Message): void {
    const result =
      method === "session/request_permission"
        ? { outcome: { outcome: "selected", optionId: "yes" } }
        : { content: "of the editor" };
    this.#say({ id, result });
  }

  #say(message: object): void {
    this.#transport.write(Buffer.from(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`));
  }
}

export const sessionIn = ({ result }: Message): string => String(resultOf(result).sessionId);
