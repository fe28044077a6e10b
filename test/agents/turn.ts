import type { PromptResponse, SessionUpdate } from "@agentclientprotocol/sdk";
import type { AcpClient, Question } from "../doubles/acp-client.ts";

/** A prompt that a client has sent, and what came of it. */
export class Turn {
  /** Its answer. */
  readonly over: Promise<PromptResponse>;
  readonly #client: AcpClient;
  readonly #sessionId: string;
  /** Where it begins in what the client received. */
  readonly #start: number;
  readonly #requestId: number;

  constructor(client: AcpClient, sessionId: string, prompt: string) {
    this.#client = client;
    this.#sessionId = sessionId;
    this.#start = client.received.length;
    this.#requestId = client.nextId;
    this.over = client.prompt(sessionId, prompt);
  }

  /** Resolves when the agent has said something; rejects when the turn is over without it. */
  async speaks(): Promise<void> {
    await this.#first(this.#client.sees('"agent_message_chunk"', this.#start));
  }

  /** The next question that the client is asked; rejects when the turn is over without one. */
  asks(): Promise<Question> {
    return this.#first(this.#client.question());
  }

  #first<Event>(event: Promise<Event>): Promise<Event> {
    const missed = this.over.then(({ stopReason }) => {
      throw new Error(`The turn was over (${stopReason}) before what the test waits for.`);
    });
    return Promise.race([event, missed]);
  }

  /** The number of its answer's line in what the client received; before it has come, of the next line. */
  get answeredAt(): number {
    const { messages } = this.#client;
    const found = messages.findIndex(({ id, method }) => id === this.#requestId && method === undefined);
    return found === -1 ? messages.length : found;
  }

  /** The session's updates from the prompt to its answer. */
  get updates(): SessionUpdate[] {
    const since = this.#client.updates(this.#sessionId, this.#start);
    const after = this.#client.updates(this.#sessionId, this.answeredAt);
    return since.slice(0, since.length - after.length);
  }

  /** What the agent said from the prompt to its answer. */
  get text(): string {
    return this.updates.map(spoken).join("");
  }

  /** What the agent said after the answer, so far. */
  get lateText(): string {
    return this.#client.updates(this.#sessionId, this.answeredAt).map(spoken).join("");
  }

  /** Tool calls that were neither completed nor failed when the answer came. */
  get openToolCalls(): string[] {
    const open = new Set<string>();
    for (const update of this.updates) {
      if (update.sessionUpdate !== "tool_call" && update.sessionUpdate !== "tool_call_update") continue;
      const { toolCallId, status } = update;
      if (status === "completed" || status === "failed") open.delete(toolCallId);
      else if (update.sessionUpdate === "tool_call" || status) open.add(toolCallId);
    }
    return [...open];
  }
}

const spoken = (update: SessionUpdate): string =>
  update.sessionUpdate === "agent_message_chunk" && update.content.type === "text" ? update.content.text : "";
