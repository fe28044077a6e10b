import { metaOf } from "../acp/checks.ts";
import { HallKey } from "../acp/extensions.ts";
import { parseRule, type Rule } from "../permission/rule.ts";
import type { Entry, Outcome, Way } from "./record.ts";

/** A turn as it is remembered. */
export interface TurnMemory {
  id: string;
  acceptedAt: number;
  digest: string;
  keyed: boolean;
  started?: { at: number; from: number; to: number };
  ended?: { at: number; to: number; outcome: Outcome };
}

/** How far a hall behind this one was read: its journal and a cursor in it, and where our own journal ended then. */
export interface FarPlace {
  /** undefined: whichever it is. */
  journal: string | undefined;
  cursor: number;
  at: number;
}

export const AT_THE_START: FarPlace = { journal: undefined, cursor: 0, at: 0 };

/** A rule of the session's own. */
export interface RuleMemory {
  rule: Rule;
  at: number;
  by: string;
}

/** A session as its record tells it: entries go in one after another, what is known now stands here. */
export class SessionMemory {
  slot = "";
  cwd = "";
  additionalDirectories: string[] = [];
  owner = "";
  createdAt = 0;
  updatedAt = 0;
  journal = "";
  /** How far the journal went, as far as the record tells: one that is shorter has lost bytes. */
  reach = 0;
  key: string | undefined;
  title: string | undefined;
  bound: { agentSession: string; way: Way; slot: string } | undefined;
  /** Means something where the agent is a hall. */
  farPlace = AT_THE_START;
  /** Its next agent session is to know nothing of what was before. */
  startsAfresh = false;
  modes: unknown;
  configOptions: unknown;
  readonly turns = new Map<string, TurnMemory>();
  /** What a person allowed for the session, by number. */
  readonly rules = new Map<number, RuleMemory>();
  /** The highest number that a rule had: none is given twice. */
  lastRule = 0;
  /** Those that have neither started nor ended, oldest first. */
  readonly waiting = new Map<string, TurnMemory>();
  /** Those that have started and not ended: one, unless a hall was killed and nobody has said what became of it. */
  readonly #goingOn = new Map<string, TurnMemory>();

  /** Turns that the agent got: before the first, an agent session holds nothing worth restoring. */
  get turnsRun(): number {
    let count = 0;
    for (const turn of this.turns.values()) if (turn.started) count += 1;
    return count;
  }

  /** The turn that was sent to an agent last, and of which no end is known. */
  get goingOn(): TurnMemory | undefined {
    return [...this.#goingOn.values()].at(-1);
  }

  take(entry: Entry): void {
    this.updatedAt = Math.max(this.updatedAt, entry.at);
    switch (entry.type) {
      case "created":
        this.createdAt = entry.at;
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
        if (entry.way !== "resume") this.farPlace = AT_THE_START;
        this.startsAfresh = false;
        break;
      case "reset":
        this.bound = undefined;
        this.modes = undefined;
        this.configOptions = undefined;
        this.startsAfresh = true;
        break;
      case "titled":
        this.title = entry.title ?? undefined;
        break;
      case "settings":
        this.modes = entry.modes;
        this.configOptions = entry.configOptions;
        break;
      case "accepted": {
        const { turn: id, at: acceptedAt, digest, keyed = false } = entry;
        const turn = { id, acceptedAt, digest, keyed };
        this.turns.set(id, turn);
        this.waiting.set(id, turn);
        break;
      }
      case "started": {
        // Its lines are written after it: they may not have come to that.
        this.#reaches(entry.from);
        const turn = this.turns.get(entry.turn);
        this.waiting.delete(entry.turn);
        if (turn) {
          turn.started = { at: entry.at, from: entry.from, to: entry.to };
          this.#goingOn.set(turn.id, turn);
        }
        break;
      }
      case "ended": {
        this.#reaches(entry.to);
        const turn = this.turns.get(entry.turn);
        this.waiting.delete(entry.turn);
        this.#goingOn.delete(entry.turn);
        if (turn) turn.ended = { at: entry.at, to: entry.to, outcome: entry.outcome };
        this.farPlace = farPlaceOf(entry.outcome, entry.to) ?? this.farPlace;
        break;
      }
      case "renamed":
        this.journal = entry.journal;
        this.reach = entry.end ?? this.reach;
        break;
      case "ruled": {
        const rule = parseRule("allow", ...entry.patterns);
        this.lastRule = Math.max(this.lastRule, entry.rule);
        if (rule) this.rules.set(entry.rule, { rule, at: entry.at, by: entry.by });
        break;
      }
      case "unruled":
        this.rules.delete(entry.rule);
        break;
      case "asked":
      case "decided":
        break;
    }
  }

  #reaches(cursor: number): void {
    this.reach = Math.max(this.reach, cursor);
  }
}

/** A hall says in its answer to a prompt how far its journal had come: all of it had been told before. */
function farPlaceOf(outcome: Outcome, at: number): FarPlace | undefined {
  if (!("result" in outcome)) return undefined;
  const { [HallKey.journal]: journal, [HallKey.cursor]: cursor } = metaOf(outcome.result);
  return typeof journal === "string" && typeof cursor === "number" ? { journal, cursor, at } : undefined;
}
