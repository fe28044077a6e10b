import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { HallEvents } from "../hall/events.ts";
import type { Hall } from "../hall/hall.ts";

/** Seconds: from an answer out of a cache to a turn of an hour. */
const TURN_SECONDS = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600];
const WAIT_SECONDS = [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 120, 300, 600];

/** What is said in words that others choose is no label, unless it is one of these. */
const STOPS = ["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled", "error"];
const known = (word: string, words: readonly string[]): string => (words.includes(word) ? word : "other");

/** Metrics that are kept up as things happen, until the answer is called. */
export function addMeters(registry: Registry, { clock, events }: Hall): () => void {
  const registers = [registry];
  const slot = ["slot"];
  const turns = new Counter({
    name: "hall_turns_total",
    help: "Turns that ended.",
    labelNames: ["slot", "outcome"],
    registers,
  });
  const failures = new Counter({
    name: "hall_turn_failures_total",
    help: "Turns that ended with an error, by its kind.",
    labelNames: ["slot", "kind"],
    registers,
  });
  const queue = new Histogram({
    name: "hall_turn_wait_seconds",
    help: "From when a prompt was accepted until its agent got it.",
    labelNames: slot,
    buckets: WAIT_SECONDS,
    registers,
  });
  const duration = new Histogram({
    name: "hall_turn_seconds",
    help: "From when the agent got a prompt until its turn ended.",
    labelNames: slot,
    buckets: TURN_SECONDS,
    registers,
  });
  const first = new Histogram({
    name: "hall_turn_first_update_seconds",
    help: "From when the agent got a prompt until its first update.",
    labelNames: slot,
    buckets: WAIT_SECONDS,
    registers,
  });
  const starts = new Counter({
    name: "hall_process_starts_total",
    help: "Agent processes that started.",
    labelNames: slot,
    registers,
  });
  const exits = new Counter({
    name: "hall_process_exits_total",
    help: "Agent processes that ended.",
    labelNames: ["slot", "how"],
    registers,
  });
  const restored = new Counter({
    name: "hall_sessions_bound_total",
    help: "Agent sessions that sessions got: new ones, and restored ones by how.",
    labelNames: ["slot", "way"],
    registers,
  });
  const questions = new Counter({
    name: "hall_questions_total",
    help: "Permission questions, by what became of them.",
    labelNames: ["outcome"],
    registers,
  });
  const answering = new Histogram({
    name: "hall_question_seconds",
    help: "From when a permission question was asked until it was decided.",
    buckets: WAIT_SECONDS,
    registers,
  });
  const refused = new Counter({
    name: "hall_refused_total",
    help: "Connections that were not let in.",
    labelNames: ["reason"],
    registers,
  });
  const denied = new Counter({
    name: "hall_denied_total",
    help: "Requests for which a client's token was not good enough.",
    labelNames: ["scope"],
    registers,
  });
  const revoked = new Counter({
    name: "hall_revoked_total",
    help: "Clients that were disconnected because their token was taken back.",
    registers,
  });
  /** When each open question was asked. */
  const asked = new Map<string, number>();
  new Gauge({
    name: "hall_questions_open",
    help: "Permission questions that wait.",
    registers,
    collect() {
      this.set(asked.size);
    },
  });
  const settle = (question: string, outcome: string): void => {
    const askedAt = asked.get(question);
    asked.delete(question);
    if (askedAt !== undefined) answering.observe((clock.monotonic() - askedAt) / 1000);
    questions.inc({ outcome });
  };
  const see: { [Name in keyof HallEvents]?: (payload: HallEvents[Name]) => void } = {
    "turn.ended": ({ slot, stop, waitedMs, ms, firstUpdateMs, error }) => {
      turns.inc({ slot, outcome: known(stop, STOPS) });
      if (error !== undefined) failures.inc({ slot, kind: error });
      queue.observe({ slot }, seconds(waitedMs));
      if (ms !== undefined) duration.observe({ slot }, seconds(ms));
      if (firstUpdateMs !== undefined) first.observe({ slot }, seconds(firstUpdateMs));
    },
    "process.started": ({ slot }) => starts.inc({ slot }),
    "process.exited": ({ slot, code, signal }) =>
      exits.inc({ slot, how: signal === null ? (code === 0 ? "ended" : "failed") : "signalled" }),
    "session.bound": ({ slot, way }) => restored.inc({ slot, way: way }),
    "question.asked": ({ question }) => void asked.set(question, clock.monotonic()),
    "question.answered": ({ question, allowed }) => settle(question, allowed ? "allowed" : "refused"),
    "question.expired": ({ question, how }) => settle(question, how),
    "client.refused": ({ why }) => refused.inc({ reason: why }),
    "client.denied": ({ scope }) => denied.inc({ scope }),
    "client.revoked": () => revoked.inc(),
  };
  return events.watch((type, payload) => {
    const seen: ((payload: never) => void) | undefined = see[type];
    // An event's name says what its payload is.
    seen?.(payload as never);
  });
}

/** A clock that was set back makes nothing take less than no time. */
const seconds = (ms: number): number => Math.max(0, ms) / 1000;
