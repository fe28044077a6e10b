import { type Fields, fieldsOf } from "../acp/checks.ts";
import { ClientSide } from "../acp/client-side.ts";
import { HallKey } from "../acp/extensions.ts";
import { AgentMethod, ClientMethod } from "../acp/methods.ts";
import { kindOf, updateOf } from "../acp/updates.ts";
import { type IncomingRequest, type Reply, RequestFailed } from "../wire/peer.ts";
import { type Address, connectSocket } from "../wire/tcp.ts";
import type { Transport } from "../wire/transport.ts";
import { textOf } from "./chunk.ts";
import type { Painter } from "./painter.ts";
import type { Person } from "./person.ts";
import { Questions } from "./questions.ts";

/** Bytes of a line. */
const LINE_BYTES = 32 * 1024 * 1024;

export interface ClientParts {
  painter: Painter;
  person: Person;
  /** Something that should not be. The show ends. */
  trouble(error: Error): void;
}

export interface PromptOptions {
  key?: string;
  /** Called with the answer, before anything that came behind it is shown. */
  answered?(): void;
}

interface Watch {
  isIt(update: Fields): boolean;
  resolve(): void;
  reject(error: Error): void;
}

/**
 * A client of the hall: what an editor is. Whatever comes is shown in the pass in which it was read, so that what
 * is shown has the order of what happened.
 */
export class Client {
  readonly #side: ClientSide;
  readonly #parts: ClientParts;
  readonly #questions: Questions;
  #watches: Watch[] = [];
  #said = "";
  #updates = 0;
  #protocolVersion: unknown;

  /** Connects by TCP and initializes; rejects with Node's own error, or with the hall's. */
  static async connect(address: Address, parts: ClientParts): Promise<Client> {
    const client = new Client(await connectSocket(address), parts);
    await client.#initialize();
    return client;
  }

  private constructor(transport: Transport, parts: ClientParts) {
    this.#parts = parts;
    this.#questions = new Questions(parts.painter, parts.person);
    const trouble = (what: string): void => parts.trouble(new Error(what));
    this.#side = new ClientSide(transport, LINE_BYTES, {
      update: (_sessionId, params) => this.#saw(updateOf(params)),
      request: (request) => this.#asked(request),
      withdrawn: (request) => this.#questions.withdraw(request),
      notification: () => {},
      noise: () => trouble("The hall sent a line that is no message."),
      tooLong: (limit) => trouble(`The hall sent a line of more than ${limit} bytes.`),
      readEnd: () => {},
      ended: () => this.#lost(),
      noticed: (what, error) => trouble(error === undefined ? what : `${what}: ${String(error)}`),
    });
  }

  /** Everything that the agent said, as this connection got it. */
  get said(): string {
    return this.#said;
  }

  /** Updates that came so far. */
  get updates(): number {
    return this.#updates;
  }

  get protocolVersion(): unknown {
    return this.#protocolVersion;
  }

  /** Answers the session's id. */
  async newSession(cwd: string): Promise<string> {
    const { sessionId } = await this.#ask(AgentMethod.newSession, { cwd, mcpServers: [] });
    return String(sessionId);
  }

  /** What happened comes as the past; `answered` when from now on it is what happens. */
  async load(sessionId: string, cwd: string, answered: () => void): Promise<void> {
    this.#parts.painter.isPast = true;
    await this.#ask(AgentMethod.loadSession, { sessionId, cwd, mcpServers: [] }, () => {
      this.#parts.painter.isPast = false;
      answered();
    });
  }

  /** Resolves with the turn's stop reason. Under the same key it is the same turn, whoever asks again. */
  async prompt(sessionId: string, text: string, { key, answered }: PromptOptions = {}): Promise<string> {
    const { stopReason } = await this.#ask(
      AgentMethod.prompt,
      {
        sessionId,
        prompt: [{ type: "text", text }],
        ...(key === undefined ? {} : { _meta: { [HallKey.turn]: key } }),
      },
      (result) => {
        this.#parts.painter.ended(String(result.stopReason));
        answered?.();
      },
    );
    return String(stopReason);
  }

  cancel(sessionId: string): void {
    this.#side.cancel(sessionId);
  }

  /** Resolves at the next update of a kind, with this text if one is given. */
  sees(kind: string, text?: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const isIt = (update: Fields): boolean =>
        kindOf(update) === kind && (text === undefined || textOf(update) === text);
      this.#watches.push({ isIt, resolve, reject });
    });
  }

  /** Ends the connection as one does. */
  leave(): void {
    this.#side.peer.close();
  }

  /** Breaks the connection off, as a network does: nothing is said first. */
  cut(): void {
    this.#side.peer.destroy();
  }

  /** With an echo: what was said here comes back, as part of the session, when its turn begins. */
  async #initialize(): Promise<void> {
    this.#side.start();
    const result = await this.#ask(AgentMethod.initialize, {
      protocolVersion: 1,
      clientCapabilities: {},
      clientInfo: { name: "hall-demo", version: "1" },
      _meta: { [HallKey.echo]: true },
    });
    this.#protocolVersion = result.protocolVersion;
  }

  #ask(method: string, params: Fields, inOrder: (result: Fields) => void = () => {}): Promise<Fields> {
    return new Promise((resolve, reject) => {
      this.#side.request(method, params, (reply: Reply) => {
        if (!reply.ok) {
          reject(new RequestFailed(method, reply.error, reply.lost));
          return;
        }
        const result = fieldsOf(reply.result);
        inOrder(result);
        resolve(result);
      });
    });
  }

  #saw(update: Fields): void {
    this.#updates += 1;
    if (kindOf(update) === "agent_message_chunk") this.#said += textOf(update);
    this.#parts.painter.update(update);
    const met = this.#watches.filter(({ isIt }) => isIt(update));
    this.#watches = this.#watches.filter((watch) => !met.includes(watch));
    for (const { resolve } of met) resolve();
  }

  #asked(request: IncomingRequest): boolean {
    if (request.method !== ClientMethod.requestPermission) return false;
    this.#questions.put(request).catch(this.#parts.trouble);
    return true;
  }

  #lost(): void {
    this.#questions.withdrawAll();
    const watches = this.#watches;
    this.#watches = [];
    for (const { reject } of watches) reject(new Error("The connection to the hall is gone."));
  }
}
