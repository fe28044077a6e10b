import { EventEmitter } from "eventemitter3";

/** What happens in a hall, for whoever watches: ids and sizes, never content. */
export interface HallEvents {
  "hall.started": { tcp?: string; http?: string; unix: string };
  "hall.stopping": Record<string, never>;
  "client.connected": { client: string; via: string };
  /** It is let in; `as`: the token's name, or `local`. */
  "client.admitted": { client: string; as: string; via: string; address: string };
  /** It is not. */
  "client.refused": { via: string; address: string; why: Refused };
  /** It may not do this. */
  "client.denied": { client: string; as: string; method: string; scope: string };
  /** Its token was taken back. */
  "client.revoked": { client: string; as: string };
  "client.closed": { client: string };
  "session.created": { session: string; slot: string };
  "session.bound": { session: string; slot: string; way: string };
  "session.reset": { session: string };
  "session.closed": { session: string };
  "session.deleted": { session: string };
  "turn.queued": { session: string; turn: string };
  "turn.started": { session: string; turn: string };
  "turn.ended": { session: string; turn: string; stop: string; cursor: number } & TurnStory;
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
  /** Keys of the roster that are other than they were; `by`: `command`, `signal` or `watch`. */
  "roster.reloaded": { by: string; applied: string[]; restart: string[] };
  /** Nothing has changed. `faults`: all that is wrong, as `hall check` tells it. */
  "roster.rejected": { by: string; faults: string[] };
  session_error: { session: string; kind: string };
}

/** A turn that is over, told in numbers. */
export interface TurnStory {
  slot: string;
  /** From when it was accepted until its agent got it, or until it ended without. */
  waitedMs: number;
  /** From then on; absent: it never started. */
  ms?: number;
  firstUpdateMs?: number;
  /** What it failed of: a `data.kind`, or `agent` for an error of the agent's own. */
  error?: string;
  /** Of the prompt (W3C Trace Context). */
  traceparent?: string;
}

/** Why somebody is not let in. */
export type Refused =
  | "no_token"
  | "wrong_token"
  | "too_many_attempts"
  | "not_this_user"
  | "not_acp"
  | "tls"
  | "host"
  | "origin"
  | "full";

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
