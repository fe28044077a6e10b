import { EventEmitter } from "eventemitter3";

/** What happens in a hall, for whoever watches: ids and sizes, never content. */
export interface HallEvents {
  "hall.started": { tcp?: string; unix: string };
  "hall.stopping": Record<string, never>;
  "client.connected": { client: string; via: string };
  "client.closed": { client: string };
  "session.created": { session: string; slot: string };
  "session.bound": { session: string; slot: string; way: string };
  "session.reset": { session: string };
  "session.closed": { session: string };
  "session.deleted": { session: string };
  "turn.queued": { session: string; turn: string };
  "turn.started": { session: string; turn: string };
  "turn.ended": { session: string; turn: string; stop: string; cursor: number };
  "process.started": { slot: string; pid: number | undefined; process: number | undefined };
  "process.exited": {
    slot: string;
    pid: number | undefined;
    process: number | undefined;
    code: number | null;
    signal: string | null;
  };
  "question.asked": { session: string; question: string; turn?: string };
  /** `by`: a client, or `rule`; then `rule` says which. `latencyMs`: since it was asked. */
  "question.answered": {
    session: string;
    question: string;
    allowed: boolean;
    by: string;
    rule?: string;
    latencyMs: number;
  };
  "question.expired": { session: string; question: string; how: string; latencyMs: number };
  session_error: { session: string; kind: string };
}

/** The hall's event bus: each event's name says what its payload is. */
export class Events {
  readonly #bus = new EventEmitter<"event">();

  emit<Name extends keyof HallEvents>(type: Name, payload: HallEvents[Name]): void {
    this.#bus.emit("event", type, payload);
  }

  /** Everything that happens, until the answer is called. */
  watch(see: (type: keyof HallEvents, payload: HallEvents[keyof HallEvents]) => void): () => void {
    this.#bus.on("event", see);
    return () => this.#bus.off("event", see);
  }
}
