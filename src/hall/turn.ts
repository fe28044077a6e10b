import type { Fields } from "../acp/checks.ts";
import type { HallFailure } from "../acp/errors.ts";
import { OpenToolCalls } from "../acp/updates.ts";
import type { ToolsSnapshot } from "../agents/tools.ts";
import type { Id } from "../wire/message.ts";
import type { Ladder } from "./ladder.ts";
import type { Outcome } from "./record.ts";

export type TurnState = "queued" | "running" | "requires_action" | "ended";

const NEXT: Readonly<Record<TurnState, readonly TurnState[]>> = {
  queued: ["running", "ended"],
  running: ["requires_action", "ended"],
  requires_action: ["running", "ended"],
  ended: [],
};

/** Who waits for a turn's end, and where the answer goes. `cursor`: where the turn's lines end. */
export interface Waiter<Sender> {
  readonly sender: Sender;
  /** The sender's id of its prompt. */
  readonly requestId: Id;
  answer(turn: string, end: TurnEnd, cursor: number): void;
  /** The hall ends first: what becomes of the turn is told to whoever asks the next hall for it, by its key. */
  left(): void;
}

/** How a turn ended: as its agent answered, or by a failure of the hall's (`RpcError`) or a defect. */
export type TurnEnd = Outcome | { failure: unknown };

/** A prompt that was accepted. */
export interface Accepted {
  readonly id: string;
  readonly blocks: readonly Fields[];
  readonly extras: Fields;
  /** Milliseconds since the epoch. */
  readonly acceptedAt: number;
  readonly keyed: boolean;
}

/** One prompt and all that follows from it until its stop reason. */
export class Turn<Sender> {
  readonly id: string;
  readonly blocks: readonly Fields[];
  /** What else the prompt said, for its agent: fields that the hall does not know, `_meta` among them. */
  readonly extras: Fields;
  readonly acceptedAt: number;
  /** Milliseconds since the epoch: when its agent got it, and when the first update of it came. */
  startedAt: number | undefined;
  firstUpdateAt: number | undefined;
  /** Its client gave the id, and finds it again by that. */
  readonly keyed: boolean;
  readonly toolCalls = new OpenToolCalls();
  /** What its agent had already started when the turn began. */
  tools: ToolsSnapshot | undefined;
  /** Present from the moment a cancel was sent: whatever the agent answers then, the turn was cancelled. */
  ladder: Ladder | undefined;
  /** Why the hall itself cancelled it, if it did: what it then ends with. */
  fault: HallFailure | undefined;
  /** The prompt's id at the agent, once it has it. */
  agentRequest: Id | undefined;
  #state: TurnState = "queued";
  #sender: Sender | undefined;
  #waiters: Waiter<Sender>[] = [];

  constructor({ id, blocks, extras, acceptedAt, keyed }: Accepted) {
    this.id = id;
    this.blocks = blocks;
    this.extras = extras;
    this.acceptedAt = acceptedAt;
    this.keyed = keyed;
  }

  get state(): TurnState {
    return this.#state;
  }

  /**
   * The client that sent it: it is the one that is called for files and terminals. None, as long as a turn that the
   * hall before this one accepted was not asked for again.
   */
  get sender(): Sender | undefined {
    return this.#sender;
  }

  /** The prompt's id at its sender. */
  get requestId(): Id | undefined {
    return this.#waiters.at(-1)?.requestId;
  }

  /** Who sent it, and who sent it again, under its key: the last one is its sender. */
  join(waiter: Waiter<Sender>): void {
    this.#waiters.push(waiter);
    this.#sender = waiter.sender;
  }

  /** Its sender is back by another connection. */
  inherit(sender: Sender, heir: Sender): void {
    if (this.#sender === sender) this.#sender = heir;
  }

  get running(): boolean {
    return this.#state === "running" || this.#state === "requires_action";
  }

  get cancelled(): boolean {
    return this.ladder !== undefined;
  }

  become(next: TurnState): void {
    if (!NEXT[this.#state].includes(next))
      throw new Error(`A turn that is ${this.#state} cannot become ${next}.`);
    this.#state = next;
  }

  /** Ends it and answers all who wait for it: once. */
  end(end: TurnEnd, cursor: number): void {
    this.become("ended");
    for (const waiter of this.#waiters) waiter.answer(this.id, end, cursor);
  }

  /** It is left, as it is, to the next hall. */
  leave(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) waiter.left();
  }
}
