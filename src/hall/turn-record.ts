import { createHash } from "node:crypto";
import { type Fields, isFields, resultOf } from "../acp/checks.ts";
import { errorBody, invalidParams, recordedError } from "../acp/errors.ts";
import { updateOf } from "../acp/updates.ts";
import type { Clock } from "../ground/clock.ts";
import { parsed } from "../ground/json.ts";
import type { KeptPrompt } from "./kept-prompts.ts";
import type { TurnMemory } from "./memory.ts";
import type { Outcome } from "./record.ts";
import type { SessionFiles } from "./session-files.ts";
import type { Accepted, Turn, TurnEnd } from "./turn.ts";

/** A prompt as its client sent it. */
export interface Prompt extends KeptPrompt {
  /** Under which it is never run twice. */
  key: string | undefined;
}

export interface TurnRecordParts {
  clock: Clock;
  files: SessionFiles;
  /** `durability: power`: a turn is on the platter before its answer goes out. */
  syncTurns(): boolean;
  nextId(): string;
}

/** What the record of a session tells of its turns, and the prompts that wait beside it under a key. */
export class TurnRecord {
  readonly #parts: TurnRecordParts;

  constructor(parts: TurnRecordParts) {
    this.#parts = parts;
  }

  /** The turn of this very prompt, under its key. Throws -32602 (`key_reused`) when another prompt had the key. */
  find({ key, blocks }: Prompt): TurnMemory | undefined {
    const known = key === undefined ? undefined : this.#parts.files.memory.turns.get(key);
    if (known && known.digest !== digestOf(blocks)) {
      throw invalidParams("This key was given to another prompt of the session; give each prompt its own.", {
        kind: "key_reused",
        turn: known.id,
      });
    }
    return known;
  }

  /** One under a key is there before the record says so: what is accepted can be run. Throws `journal_failed`. */
  accept({ blocks, extras, key }: Prompt): Accepted {
    const { clock, files, nextId } = this.#parts;
    const [id, at] = [key ?? nextId(), clock.now()];
    const entry = { type: "accepted", at, turn: id, digest: digestOf(blocks) } as const;
    if (key === undefined) files.write(entry);
    else {
      files.prompts.keep(id, { blocks, extras });
      try {
        files.write({ ...entry, keyed: true });
      } catch (error) {
        files.prompts.drop(id);
        throw error;
      }
    }
    return { id, blocks, extras, acceptedAt: at, keyed: key !== undefined };
  }

  /** What waited under a key when the hall ended, in its order. */
  get waiting(): Accepted[] {
    const { memory, prompts } = this.#parts.files;
    return [...memory.waiting.values()].flatMap(({ id, acceptedAt }) => {
      const prompt = prompts.read(id);
      return prompt ? [{ id, ...prompt, acceptedAt, keyed: true }] : [];
    });
  }

  /** The turn that its agent, another hall, has had since before this hall began; its words are in the journal. */
  get goingOn(): (Accepted & { startedAt: number }) | undefined {
    const { journal, memory } = this.#parts.files;
    const { id, acceptedAt, keyed, started } = memory.goingOn ?? {};
    if (id === undefined || acceptedAt === undefined || !started) return undefined;
    const words = journal.file.read(started.from, started.to).toString("utf8");
    const blocks = words
      .split("\n")
      .map((line) => contentOf(parsed(line)))
      .filter(isFields);
    return { id, blocks, extras: {}, acceptedAt, keyed: keyed === true, startedAt: started.at };
  }

  /** `from`, `to`: where the user's own lines stand. It is never sent again. Throws `journal_failed`. */
  start({ id, keyed }: Turn<unknown>, from: number, to: number): void {
    const { clock, files } = this.#parts;
    files.write({ type: "started", at: clock.now(), turn: id, from, to });
    if (keyed) files.prompts.drop(id);
  }

  /** Answers how the turn ends after all: what cannot be recorded has failed. `to`: where its lines end. */
  end(turn: Turn<unknown>, how: TurnEnd, to: number): TurnEnd {
    const { clock, files, syncTurns } = this.#parts;
    const entry = { type: "ended", at: clock.now(), turn: turn.id, to } as const;
    let end = how;
    try {
      files.write({ ...entry, outcome: recorded(end) });
      if (syncTurns()) files.sync();
    } catch (error) {
      end = { failure: error };
      // It is known until the hall stops: who asks again under the key is answered the same.
      files.memory.take({ ...entry, outcome: recorded(end) });
    }
    // One that started has none any more.
    if (turn.keyed && turn.state === "queued") files.prompts.drop(turn.id);
    return end;
  }
}

const contentOf = (line: unknown): unknown => updateOf(resultOf(line).params).content;

/** How a turn ended, from the record. */
export const endFrom = (outcome: Outcome): TurnEnd =>
  "error" in outcome ? { failure: recordedError(outcome.error) } : outcome;

const recorded = (end: TurnEnd): Outcome => ("failure" in end ? { error: errorBody(end.failure) } : end);

const digestOf = (blocks: readonly Fields[]): string =>
  createHash("sha256").update(JSON.stringify(blocks)).digest("base64url");
