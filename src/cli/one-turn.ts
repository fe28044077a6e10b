import { type Fields, fieldsOf, isFields, metaOf } from "../acp/checks.ts";
import type { ClientHandlers } from "../acp/client-side.ts";
import { Code } from "../acp/errors.ts";
import { HallKey } from "../acp/extensions.ts";
import { AgentMethod, CANCEL, CANCEL_REQUEST, ClientMethod } from "../acp/methods.ts";
import { kindOf, updateOf } from "../acp/updates.ts";
import { type IncomingRequest, RequestFailed } from "../wire/peer.ts";
import type { Answers } from "./answers.ts";
import type { Connection } from "./connection.ts";

/** How a turn ended: as the agent says (ACP's stop reason), or not at all. */
export type TurnOutcome = { stopReason: string; usage: unknown } | { error: RequestFailed };

export interface OneTurnParts {
  /** The turn's key: by it its first line is known. */
  key: string;
  answers: Answers;
  /** An update of this turn. */
  see(update: Fields): void;
}

/**
 * One prompt and what follows from it. The session may have other turns and other clients: what comes before the
 * prompt's own first line is theirs (the connection asked for `hall/echo`).
 */
export class OneTurn {
  /** What the agent said. */
  text = "";
  readonly #parts: OneTurnParts;
  #state: "unsent" | "waiting" | "running" | "over" = "unsent";
  #cancel: () => void = () => {};
  #usage: unknown;

  constructor(parts: OneTurnParts) {
    this.#parts = parts;
  }

  /** For the connection that the prompt will go out on. */
  get handlers(): Partial<ClientHandlers> {
    return {
      update: (_sessionId, params) => this.#update(params),
      request: (request) => this.#asked(request),
      withdrawn: (request) => this.#parts.answers.withdrawn(request),
    };
  }

  get isSent(): boolean {
    return this.#state !== "unsent";
  }

  /** The agent has it. */
  get isRunning(): boolean {
    return this.#state === "running";
  }

  run(connection: Connection, sessionId: string, prompt: readonly Fields[]): Promise<TurnOutcome> {
    return new Promise((resolve) => this.start(connection, sessionId, prompt, resolve));
  }

  /** As `run`; `over` is called in order with all else that comes of the session. */
  start(
    connection: Connection,
    sessionId: string,
    prompt: readonly Fields[],
    over: (outcome: TurnOutcome) => void,
  ): void {
    const { key } = this.#parts;
    const meta = { [HallKey.turn]: key };
    this.#state = "waiting";
    const params = { sessionId, prompt, _meta: meta };
    const requestId = connection.request(AgentMethod.prompt, params, (reply) => {
      this.#state = "over";
      this.#parts.answers.end();
      if (!reply.ok && reply.error.code === Code.cancelled) over({ stopReason: "cancelled", usage: null });
      else if (!reply.ok) over({ error: new RequestFailed(AgentMethod.prompt, reply.error, reply.lost) });
      else over(this.#ended(fieldsOf(reply.result)));
    });
    // A cancel of the session is also one of the turns before; those are not ours to end.
    this.#cancel = () => {
      if (this.#state === "running") connection.notify(CANCEL, { sessionId, _meta: meta });
      else connection.notify(CANCEL_REQUEST, { requestId });
    };
  }

  /** Asks the hall to end this turn, and no other. Its outcome comes as ever. */
  cancel(): void {
    this.#cancel();
  }

  #update(params: Fields): void {
    const update = updateOf(params);
    const kind = kindOf(update);
    const isUser = kind === "user_message_chunk";
    if (this.#state === "waiting" && isUser && metaOf(params)[HallKey.turn] === this.#parts.key) {
      this.#state = "running";
    }
    if (this.#state !== "running" || isUser) return;
    const { content } = update;
    if (kind === "agent_message_chunk" && isFields(content) && content.type === "text")
      this.text += content.text;
    if (kind === "usage_update") {
      const { sessionUpdate: _, ...usage } = update;
      this.#usage = usage;
    }
    this.#parts.see(update);
  }

  #asked(request: IncomingRequest): boolean {
    if (request.method !== ClientMethod.requestPermission) return false;
    this.#parts.answers.take(request, this.#state === "running");
    return true;
  }

  #ended({ stopReason, usage }: Fields): TurnOutcome {
    return { stopReason: String(stopReason), usage: usage ?? this.#usage ?? null };
  }
}
