import { type Fields, isFields } from "../acp/checks.ts";
import { Code, methodNotFound } from "../acp/errors.ts";
import { CANCEL, ClientMethod } from "../acp/methods.ts";
import type { RunningAgent } from "../agents/running-agent.ts";
import type { Clock } from "../ground/clock.ts";
import { CANCELLED, type Outcome } from "../permission/question.ts";
import { LineSplitter } from "../wire/lines.ts";
import { encode, type Id, type RequestMessage, readMessage } from "../wire/message.ts";
import type { Answering } from "./answering.ts";
import type { Entry, EntryOf } from "./entry.ts";
import type { Asked, Recording } from "./recording.ts";

export interface ConversationParts {
  clock: Clock;
  recording: Recording;
  /** The number of the process in the recording. */
  process: number;
  /** Bytes of the agent's longest line. */
  lineLimit: number;
}

/** How often is looked for what no line of the agent tells, in ms. */
const LOOK_MS = 250;

/** One agent process, spoken to line by line. Everything that happens is recorded, and nothing is judged. */
export class Conversation {
  readonly agent: RunningAgent;
  /** How permission questions are answered; undefined: not yet, they stay open. */
  answering: Answering | undefined;
  readonly #parts: ConversationParts;
  readonly #lines: LineSplitter;
  readonly #open: RequestMessage[] = [];
  readonly #watchers = new Set<() => void>();
  #nextId = 0;
  #gone = false;
  #told = false;

  constructor(agent: RunningAgent, parts: ConversationParts) {
    this.agent = agent;
    this.#parts = parts;
    this.#lines = new LineSplitter(parts.lineLimit, {
      line: (bytes) => this.#hear(bytes),
      tooLong: (limit) => this.skip(`it sent a line of over ${limit} bytes`),
    });
    parts.recording.add(parts.process, { kind: "started" });
    agent.onExit((exit) => {
      this.#gone = true;
      parts.recording.add(parts.process, { kind: "exited", exit, asked: this.#told });
      this.#look();
    });
    agent.transport.start({
      chunk: (bytes) => {
        this.#lines.push(bytes);
        this.#look();
      },
      ended: () => {
        this.#lines.end();
        this.#look();
      },
      closed: () => this.#look(),
    });
  }

  get gone(): boolean {
    return this.#gone;
  }

  /** Asks; the answer is found in the recording. `id` is a number of ours unless given. */
  ask(method: string, params: Fields, id: Id = this.#nextId++): () => Asked | undefined {
    const { recording } = this.#parts;
    const sent = this.#send({ jsonrpc: "2.0", id, method, params });
    return () => recording.asked(method).find((asked) => asked.sent === sent);
  }

  notify(method: string, params: Fields): void {
    this.#send({ jsonrpc: "2.0", method, params });
  }

  cancel(sessionId: string): void {
    this.notify(CANCEL, { sessionId });
  }

  /** A line that is no message. */
  garble(line: string): void {
    this.#parts.recording.add(this.#parts.process, { kind: "garbled", line });
    this.agent.transport.write(Buffer.from(`${line}\n`));
  }

  /** Answers the questions that are open as a client does that has cancelled. */
  settleQuestions(outcome: Outcome = CANCELLED): void {
    for (const request of this.#open.splice(0)) this.#reply(request.id, { result: { outcome } });
  }

  closeInput(): void {
    this.#told = true;
    this.#parts.recording.add(this.#parts.process, { kind: "closed stdin" });
    this.agent.transport.end();
  }

  signal(signal: "SIGINT" | "SIGTERM"): void {
    this.#told = true;
    this.#parts.recording.add(this.#parts.process, { kind: "signalled", signal });
    if (signal === "SIGINT") this.agent.interrupt();
    else this.agent.terminate();
  }

  /** The rest of the scene is not played. */
  skip(why: string): void {
    this.#parts.recording.add(this.#parts.process, { kind: "skipped", why });
  }

  looked(left: readonly string[] | undefined): void {
    this.#parts.recording.add(this.#parts.process, { kind: "looked", left });
  }

  /** Lines of this process that were heard. */
  get heard(): EntryOf<"heard">[] {
    const { recording, process } = this.#parts;
    return recording.of("heard").filter((entry) => entry.process === process);
  }

  /**
   * Waits until it is so; false: the agent has ended without it, or it was not so within `ms`, which is recorded.
   */
  async until(isSo: () => boolean, ms: number): Promise<boolean> {
    if (await this.within(isSo, ms)) return true;
    if (!this.#gone) this.#parts.recording.add(this.#parts.process, { kind: "waited in vain", ms });
    return false;
  }

  /** As `until`, where it is no fault if it does not come. */
  within(isSo: () => boolean, ms: number): Promise<boolean> {
    const { clock } = this.#parts;
    const end = clock.monotonic() + ms;
    return new Promise((resolve) => {
      let stop = (): void => {};
      const settle = (is: boolean): void => {
        this.#watchers.delete(look);
        stop();
        resolve(is);
      };
      const look = (): void => {
        if (isSo()) settle(true);
        else if (this.#gone || clock.monotonic() >= end) settle(false);
      };
      const again = (): void => {
        const rest = end - clock.monotonic();
        stop = clock.after(Math.max(0, Math.min(LOOK_MS, rest)), () => {
          again();
          look();
        });
      };
      this.#watchers.add(look);
      again();
      look();
    });
  }

  /** Lets so much time pass, in which the agent can say what it will. */
  async quiet(ms: number): Promise<void> {
    await this.within(() => false, ms);
  }

  /** Ends the process, and all that came of it. */
  async end(): Promise<void> {
    this.#told = true;
    await this.agent.stop();
  }

  async kill(): Promise<void> {
    this.#told = true;
    await this.agent.kill();
  }

  #send(message: Fields): Entry {
    const entry = this.#parts.recording.add(this.#parts.process, { kind: "sent", message });
    this.agent.transport.write(encode(message));
    return entry;
  }

  #hear(bytes: Buffer): void {
    const line = bytes.toString();
    const message = readMessage(bytes, line);
    this.#parts.recording.add(this.#parts.process, { kind: "heard", message, line });
    if (message.kind === "request") this.#request(message);
  }

  #request(request: RequestMessage): void {
    const params = isFields(request.params) ? request.params : {};
    if (request.method === ClientMethod.requestPermission) {
      const outcome = this.answering?.(params);
      if (outcome === undefined) this.#open.push(request);
      else this.#reply(request.id, { result: { outcome } });
    } else if (request.method === ClientMethod.createElicitation) {
      this.#reply(request.id, { result: { action: "cancel" } });
    } else {
      this.#reply(request.id, { error: methodNotFound(request.method).body });
    }
  }

  #reply(id: Id, answer: Fields): void {
    this.#send({ jsonrpc: "2.0", id, ...answer });
  }

  #look(): void {
    for (const look of [...this.#watchers]) look();
  }
}

export const isLoginWanted = (asked: Asked | undefined): boolean =>
  asked?.reply?.error?.code === Code.authRequired;
