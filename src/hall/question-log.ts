import type { Entry } from "./record.ts";

/** One question of a session, from the record: what was asked, and what became of it. */
export interface LoggedQuestion {
  question: string;
  turn: string | null;
  title: string | null;
  kind: string | null;
  toolCallId: string | null;
  /** `agent`: its own question. `socket`: one of its hooks. */
  via: string;
  askedAt: string;
  /** `answered`, `rule`, `expired`, `unattended` (nobody was there), `unanswerable`, `withdrawn`; null: it is open, or was cut off. */
  how: string | null;
  allowed: boolean;
  /** The client that answered. */
  by: string | null;
  /** The rule that decided. */
  rule: string | null;
  latencyMs: number | null;
}

/** The questions that a session's record tells of, oldest first. Ids begin anew with each start of the hall. */
export function questionLog(entries: Iterable<Entry>): LoggedQuestion[] {
  const all: LoggedQuestion[] = [];
  const open = new Map<string, LoggedQuestion>();
  for (const entry of entries) {
    if (entry.type === "asked") {
      const logged = asked(entry);
      all.push(logged);
      open.set(entry.question, logged);
    } else if (entry.type === "decided") {
      const { how, allowed, by = null, rule = null, latencyMs = null } = entry;
      const logged = open.get(entry.question);
      if (logged) Object.assign(logged, { how, allowed, by, rule, latencyMs });
      open.delete(entry.question);
    }
  }
  return all;
}

const asked = (entry: Entry & { type: "asked" }): LoggedQuestion => ({
  question: entry.question,
  turn: entry.turn ?? null,
  title: entry.title ?? null,
  kind: entry.kind ?? null,
  toolCallId: entry.toolCall ?? null,
  via: entry.via ?? "agent",
  askedAt: new Date(entry.at).toISOString(),
  how: null,
  allowed: false,
  by: null,
  rule: null,
  latencyMs: null,
});
