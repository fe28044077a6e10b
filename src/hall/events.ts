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
  "session.created": { sessionId: string; slot: string };
  "session.bound": { sessionId: string; slot: string; way: string };
  "session.reset": { sessionId: string };
  "session.closed": { sessionId: string };
  "session.deleted": { sessionId: string };
  "turn.queued": { sessionId: string; turn: string };
  "turn.started": { sessionId: string; turn: string };
  /** A prompt that was not accepted. `sessionId`: where there is such a session. `kind`: of the error, in a word. */
  "turn.refused": { client: string; sessionId?: string; kind: string };
  "turn.ended": { sessionId: string; turn: string; stop: string; cursor: number } & TurnStory;
  "process.started": ProcessIds;
  "process.exited": ProcessIds & { code: number | null; signal: string | null };
  /** The hall sent it SIGKILL; its end is told by `process.exited`. */
  "process.killed": ProcessIds;
  "question.asked": { sessionId: string; question: string; turn?: string };
  /** `by`: a client, or `rule`; then `rule` says which. `latencyMs`: since it was asked. */
  "question.answered": {
    sessionId: string;
    question: string;
    allowed: boolean;
    by: string;
    rule?: string;
    latencyMs: number;
  };
  "question.expired": { sessionId: string; question: string; how: string; latencyMs: number };
  /** Keys of the roster that are other than they were; `by`: `command`, `signal` or `watch`. */
  "roster.reloaded": { by: string; applied: string[]; restart: string[] };
  /** Nothing has changed. `faults`: all that is wrong, as `hall check` tells it. */
  "roster.rejected": { by: string; faults: string[] };
  session_error: { sessionId: string; kind: string };
}

/** One program that an agent runs as. */
export interface ProcessIds {
  slot: string;
  pid: number;
  /** Its number in the ledger. */
  process: number;
  /** Where it serves a single session. */
  sessionId?: string;
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
