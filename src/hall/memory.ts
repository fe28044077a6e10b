import type { Entry, Outcome, Way } from "./record.ts";

/** A turn as it is remembered. */
export interface TurnMemory {
  id: string;
  acceptedAt: number;
  digest: string;
  started?: { at: number; from: number; to: number };
  ended?: { at: number; to: number; outcome: Outcome };
}

/** A session as its record tells it: entries go in one after another, what is known now stands here. */
export class SessionMemory {
  slot = "";
  cwd = "";
  additionalDirectories: string[] = [];
  owner = "";
  updatedAt = 0;
  journal = "";
  key: string | undefined;
  title: string | undefined;
  bound: { agentSession: string; way: Way; slot: string } | undefined;
  modes: unknown;
  configOptions: unknown;
  readonly turns = new Map<string, TurnMemory>();

  /** Turns that the agent got: before the first, an agent session holds nothing worth restoring. */
  get turnsRun(): number {
    let count = 0;
    for (const turn of this.turns.values()) if (turn.started) count += 1;
    return count;
  }

  take(entry: Entry): void {
    this.updatedAt = Math.max(this.updatedAt, entry.at);
    switch (entry.type) {
      case "created":
        this.slot = entry.slot;
        this.cwd = entry.cwd;
        this.additionalDirectories = entry.additionalDirectories;
        this.owner = entry.owner;
        this.journal = entry.journal;
        this.key = entry.key;
        break;
      case "bound":
        this.slot = entry.slot;
        this.bound = { agentSession: entry.agentSession, way: entry.way, slot: entry.slot };
        break;
      case "titled":
        this.title = entry.title ?? undefined;
        break;
      case "settings":
        this.modes = entry.modes;
        this.configOptions = entry.configOptions;
        break;
      case "accepted":
        this.turns.set(entry.turn, { id: entry.turn, acceptedAt: entry.at, digest: entry.digest });
        break;
      case "started": {
        const turn = this.turns.get(entry.turn);
        if (turn) turn.started = { at: entry.at, from: entry.from, to: entry.to };
        break;
      }
      case "ended": {
        const turn = this.turns.get(entry.turn);
        if (turn) turn.ended = { at: entry.at, to: entry.to, outcome: entry.outcome };
        break;
      }
      case "renamed":
        this.journal = entry.journal;
        break;
      case "asked":
      case "decided":
        break;
    }
  }
}
