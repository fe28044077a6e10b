import { type Fields, isFields, resultOf } from "../acp/checks.ts";
import type { Clock } from "../ground/clock.ts";
import { type ErrorBody, type Id, isId } from "../wire/message.ts";
import type { Entry, EntryOf, Happening, SceneName } from "./entry.ts";

/** A request of ours, and what became of it. */
export interface Asked {
  readonly method: string;
  readonly id: Id;
  readonly params: Fields;
  readonly sent: Entry;
  /** Undefined: it was not answered. */
  readonly reply: Reply | undefined;
}

export interface Reply {
  readonly entry: Entry;
  readonly result: Fields;
  readonly error: ErrorBody | undefined;
  /** It had neither a result nor an error, or both. */
  readonly malformed: boolean;
  /** Milliseconds from the request. */
  readonly took: number;
}

/** A request of the agent's, and when it was answered. */
export interface Call {
  readonly method: string;
  readonly params: Fields;
  readonly heard: Entry;
  readonly answered: Entry | undefined;
  /** Our result. */
  readonly answer: Fields;
}

/**
 * All that happened in a trial, in order: what was said to the agent, what it said, when it came and went. Checks
 * read it, and nothing else.
 */
export class Recording {
  readonly entries: Entry[] = [];
  /** The scene that is played. */
  scene: SceneName = "start";
  readonly #clock: Clock;
  readonly #began: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#began = clock.monotonic();
  }

  add(process: number, happening: Happening): Entry {
    const at = Math.round(this.#clock.monotonic() - this.#began);
    const entry: Entry = { ...happening, at, process, scene: this.scene };
    this.entries.push(entry);
    return entry;
  }

  of<Kind extends Happening["kind"]>(kind: Kind, scene?: SceneName): EntryOf<Kind>[] {
    const isOfKind = (entry: Entry): entry is EntryOf<Kind> => entry.kind === kind;
    return this.entries.filter(isOfKind).filter((entry) => scene === undefined || entry.scene === scene);
  }

  /** Why a scene was not played; undefined: it was. */
  skipped(scene: SceneName): string | undefined {
    const told = this.of("skipped", scene)[0]?.why;
    if (told !== undefined) return told;
    return this.entries.some((entry) => entry.scene === scene) ? undefined : "it did not come to that";
  }

  /** Requests of ours by method, with what became of them. */
  asked(method: string, scene?: SceneName): Asked[] {
    return this.of("sent", scene).flatMap((sent) => {
      const { message } = sent;
      if (message.method !== method || !isId(message.id)) return [];
      const { id } = message;
      const params = resultOf(message.params);
      return [{ method, id, params, sent, reply: this.#replyTo(sent, id) }];
    });
  }

  /** Requests of the agent's, by method. */
  called(method: string, scene?: SceneName): Call[] {
    return this.of("heard", scene).flatMap((heard) => {
      const { message } = heard;
      if (message.kind !== "request" || message.method !== method) return [];
      const answered = this.of("sent").find(
        (sent) =>
          sent.process === heard.process &&
          this.isAfter(sent, heard) &&
          sent.message.method === undefined &&
          sent.message.id === message.id,
      );
      return [
        {
          method,
          params: resultOf(message.params),
          heard,
          answered,
          answer: resultOf(answered?.message.result),
        },
      ];
    });
  }

  isAfter(one: Entry, other: Entry): boolean {
    return this.entries.indexOf(one) > this.entries.indexOf(other);
  }

  /** What happened in the same process from one entry to another; without an end: to the end of the process. */
  between(start: Entry, end?: Entry): Entry[] {
    const to = end === undefined ? this.entries.length : this.entries.indexOf(end);
    return this.entries
      .slice(this.entries.indexOf(start) + 1, to)
      .filter(({ process }) => process === start.process);
  }

  /** The agent's last word on what it is: its `agentInfo`, if it has one. */
  get agentInfo(): Fields | undefined {
    const { agentInfo } = this.introduction;
    return isFields(agentInfo) ? agentInfo : undefined;
  }

  /** What it answered to the first `initialize` that it answered. */
  get introduction(): Fields {
    return this.asked("initialize").find(({ reply }) => reply !== undefined)?.reply?.result ?? {};
  }

  get capabilities(): Fields {
    return resultOf(this.introduction.agentCapabilities);
  }

  #replyTo(sent: Entry, id: Id): Reply | undefined {
    const entry = this.of("heard").find(
      ({ message, process, ...heard }) =>
        process === sent.process &&
        heard.at >= sent.at &&
        (message.kind === "response"
          ? message.id === id
          : message.kind === "fault" && message.answers === id),
    );
    if (!entry) return undefined;
    const { message } = entry;
    const answered = message.kind === "response";
    return {
      entry,
      result: resultOf(answered ? message.result : undefined),
      error: answered ? message.error : undefined,
      malformed: !answered,
      took: entry.at - sent.at,
    };
  }
}
