import { type Fields, resultOf } from "../acp/checks.ts";
import { fitBlocks, promptCapabilities } from "../acp/content.ts";
import { Code, failure, HallFailure, type RpcError } from "../acp/errors.ts";
import { HallKey } from "../acp/extensions.ts";
import { CANCEL } from "../acp/methods.ts";
import { titleOf } from "../acp/title.ts";
import { traceParent } from "../acp/trace.ts";
import { showDuration } from "../ground/duration.ts";
import type { Reply } from "../wire/peer.ts";
import type { Backing } from "./backing.ts";
import type { Binding } from "./binding.ts";
import type { Events, TurnStory } from "./events.ts";
import { Ladder } from "./ladder.ts";
import { toolCallClosed, userChunk } from "./lines-of-ours.ts";
import type { TurnMemory } from "./memory.ts";
import { SessionQueue, type WaitsFor } from "./queue.ts";
import { untilReached } from "./reaching.ts";
import { RunningTurn } from "./running-turn.ts";
import { cutOff } from "./session-files.ts";
import { Silence } from "./silence.ts";
import type { Stream } from "./stream.ts";
import { transcriptBlock } from "./transcript.ts";
import { type Accepted, Turn, type TurnEnd, type Waiter } from "./turn.ts";
import { endFrom, type Prompt, TurnRecord, type TurnRecordParts } from "./turn-record.ts";
import type { Viewer } from "./viewer.ts";

export type SessionTurn = Turn<Viewer>;

export interface TurnsParts extends TurnRecordParts {
  events: Events;
  stream: Stream;
  backing: Backing;
  /** Milliseconds between the steps of the ladder; 0: never escalate. */
  cancelGrace(): number;
  queueLimit(): number;
  /** The running turn was cancelled or is over: what its agent still asks or waits for is settled. */
  settle(why: "cancelled" | "over"): void;
  /** The agent waits for a person, or for a client. */
  agentWaits(): boolean;
  /** A first turn names the session. */
  named(title: string): void;
  changed(): void;
  /** No turn runs or waits any more. */
  idle(): void;
}

/** The turns of one session: accepted, started, ended, one at a time; each prompt is answered once. */
export class Turns {
  readonly queue: SessionQueue;
  readonly #parts: TurnsParts;
  readonly #record: TurnRecord;
  /** Turns that are not over, in the order in which they were accepted, and how each leaves the queue. */
  readonly #open = new Map<SessionTurn, { drop: () => boolean; waitsFor: () => WaitsFor }>();
  /** Of these, what the hall stops before, and the next one runs. */
  readonly #heldBack = new Set<SessionTurn>();
  #running: RunningTurn | undefined;

  constructor(parts: TurnsParts) {
    this.#parts = parts;
    this.#record = new TurnRecord(parts);
    this.queue = new SessionQueue(() => parts.backing.slot.units, parts.queueLimit, parts.idle);
  }

  /** The turn that the agent has: also when its prompt was answered and the agent goes on with it. */
  get running(): SessionTurn | undefined {
    return this.#running?.turn;
  }

  /** Turns that are not ended, in the order in which they were accepted. */
  get open(): SessionTurn[] {
    return [...this.#open.keys()];
  }

  /** Why this one does not run yet; undefined: it does, or it is over. */
  waitsFor(turn: SessionTurn): WaitsFor | undefined {
    return turn.state === "queued" ? this.#open.get(turn)?.waitsFor() : undefined;
  }

  /** Some turn is not ended, or its agent goes on with it. */
  get anyOpen(): boolean {
    return this.#open.size > 0 || this.#running !== undefined;
  }

  get idle(): boolean {
    return !this.anyOpen && this.queue.idle;
  }

  /**
   * Accepts a prompt. Throws what is wrong with it; otherwise its answer comes by `waiter`, once. A prompt that
   * came before under the same key is not run again: `waiter` gets what becomes, or became, of it.
   */
  accept(prompt: Prompt, waiter: Waiter<Viewer>): SessionTurn | undefined {
    const known = this.#record.find(prompt);
    if (known) return this.#again(known, waiter);
    fitBlocks(prompt.blocks, promptCapabilities(this.#parts.backing.slot.lesson.agentCapabilities));
    this.queue.check();
    const turn = this.#enqueue(this.#record.accept(prompt));
    turn.join(waiter);
    this.#tellQueued(turn);
    return turn;
  }

  /** What another hall went on with, and what waited under a key when the hall ended, in its order; before anything new. */
  takeUp(): void {
    const goingOn = this.#record.goingOn;
    if (goingOn) this.#takeOver(goingOn);
    for (const accepted of this.#record.waiting) this.#tellQueued(this.#enqueue(accepted));
  }

  /** Its agent has had it since before this hall began: it runs, and is asked for again as soon as there is a way. */
  #takeOver(accepted: Accepted & { startedAt: number }): void {
    const turn: SessionTurn = new Turn(accepted);
    turn.become("running");
    turn.startedAt = accepted.startedAt;
    this.#running = new RunningTurn(turn, this.#parts.files.hold());
    // What runs is not dropped.
    this.#open.set(turn, { drop: () => false, waitsFor: () => "agent" });
    this.queue.add({ takesUnit: true, run: () => this.#goOn(turn) });
  }

  #enqueue(accepted: Accepted): SessionTurn {
    const turn: SessionTurn = new Turn(accepted);
    const entry = { takesUnit: true, run: () => this.#run(turn) };
    this.#open.set(turn, { drop: () => this.queue.drop(entry), waitsFor: () => this.queue.waitsFor(entry) });
    this.queue.add(entry);
    return turn;
  }

  #tellQueued({ id }: SessionTurn): void {
    const { events, files } = this.#parts;
    events.emit("turn.queued", { sessionId: files.id, turn: id });
  }

  #again({ id, ended }: TurnMemory, waiter: Waiter<Viewer>): SessionTurn | undefined {
    const open = this.open.find((turn) => turn.id === id);
    open?.join(waiter);
    if (!open && ended) waiter.answer(id, endFrom(ended.outcome), ended.to);
    return open;
  }

  /** The running turn and all that wait; with `until`: that turn and those accepted before it. */
  cancelAll(until?: string): void {
    const turns = this.open;
    const last = until === undefined ? turns.length - 1 : turns.findIndex((turn) => turn.id === until);
    // The last first, so that none of them begins because the one before it ended.
    for (const turn of turns.slice(0, last + 1).reverse()) this.cancel(turn);
  }

  /** One turn: one that waits ends at once and never runs; the running one by the ladder. */
  cancel(turn: SessionTurn): void {
    if (turn.state === "ended" || turn.cancelled) return;
    const binding = this.#parts.backing.binding;
    if (!turn.running || !binding) {
      this.#open.get(turn)?.drop();
      this.end(turn, CANCELLED);
      // One that was taken over, and that its agent is told of when it is reached.
      if (this.running === turn) this.#runningOver();
      return;
    }
    const { agent, agentSession } = binding;
    const rungs = agent.rungs(agentSession);
    turn.ladder = new Ladder(this.#parts.clock, this.#parts.cancelGrace(), rungs, () => this.#giveUp(turn));
    // Some agents do not stop before their open question is settled.
    this.#parts.settle("cancelled");
    turn.ladder.climb();
    if (turn.tools) void agent.process.endToolsSince(turn.tools);
  }

  /** As `cancelAll`, by force: the agent is not asked to stop, but ended; where it is others' too, it is given up. */
  kill(): void {
    const { backing, cancelGrace, clock, settle } = this.#parts;
    const { running } = this;
    for (const turn of this.open.reverse()) if (turn !== running) this.cancel(turn);
    if (!running) return;
    if (!backing.binding) {
      this.cancel(running);
      return;
    }
    running.ladder?.stop();
    const { agent, agentSession } = backing.binding;
    const rungs = agent.forcibleRungs(agentSession);
    running.ladder = new Ladder(clock, cancelGrace(), rungs, () => this.#giveUp(running));
    settle("cancelled");
    running.ladder.climb();
  }

  /** The agent has what it waited for. */
  agentWasAnswered(): void {
    this.#running?.agentWasAnswered();
  }

  /** A client is back by another connection, which has its turns from now on. */
  inherit(sender: Viewer, heir: Viewer): void {
    for (const turn of this.open) turn.inherit(sender, heir);
    this.running?.inherit(sender, heir);
  }

  /** Takes a prompt that waits back: it is answered with `why` and never runs. False: it waits no more. */
  withdraw(turn: SessionTurn, why: unknown): boolean {
    if (turn.state !== "queued") return false;
    this.#open.get(turn)?.drop();
    this.end(turn, { failure: why });
    return true;
  }

  /** Ends all that is open, by the ladder; where that does not climb, without waiting for the agent. */
  async finish(): Promise<void> {
    this.cancelAll();
    await this.finishRunning();
  }

  /** As `finish`, of the turn that the agent has. */
  async finishRunning(): Promise<void> {
    const turn = this.running;
    if (!turn) return;
    this.cancel(turn);
    if (this.#parts.cancelGrace() > 0) await this.untilOver();
    else this.#giveUp(turn);
  }

  /**
   * The hall stops: nothing that waits begins any more. What its client can find again is held back for the next
   * hall, and can still be cancelled in this one; the rest is answered with `why`.
   */
  holdBack(why: HallFailure): void {
    const runsLater = this.#parts.backing.slot.config.onRestart === "run";
    // The last first, so that none of them begins because the one before it is gone.
    for (const turn of this.open.reverse()) {
      if (turn.state !== "queued") continue;
      if (turn.keyed && runsLater) {
        this.#open.get(turn)?.drop();
        this.#heldBack.add(turn);
      } else this.withdraw(turn, why);
    }
  }

  /** What is held back is the next hall's from now on. */
  leaveHeldBack(): void {
    const left = [...this.#heldBack];
    this.#heldBack.clear();
    for (const turn of left) this.#open.delete(turn);
    for (const turn of left) turn.leave();
  }

  /** When the turn that the agent has is really over; at once if it has none. */
  untilOver(): Promise<void> {
    return this.#running?.untilOver() ?? Promise.resolve();
  }

  /** The agent's process is over, or it broke the protocol: the turn that it had ends with that. */
  agentFailed(failed: HallFailure, gone: boolean): void {
    const turn = this.running;
    if (!turn) return;
    this.end(turn, turn.cancelled ? endOfCancelled(turn) : { failure: failed });
    if (gone) this.#runningOver();
  }

  /** What cannot be kept cannot be shown: the turn ends, its agent is told to stop. */
  journalFailed(failed: HallFailure): void {
    const turn = this.running;
    if (!turn || turn.state === "ended") return;
    this.cancel(turn);
    this.end(turn, { failure: failed });
  }

  /** Everything that belongs to the turn is written, then its answer goes on its way. */
  end(turn: SessionTurn, how: TurnEnd): void {
    if (turn.state === "ended") return;
    const { events, files, stream } = this.#parts;
    if (turn.running) this.#closeWhatIsOpen(turn);
    const broken = stream.tryCommit();
    this.#open.delete(turn);
    this.#heldBack.delete(turn);
    const end = this.#record.end(turn, broken && !turn.cancelled ? { failure: broken } : how, stream.end);
    turn.end(end, stream.end);
    events.emit("turn.ended", {
      sessionId: files.id,
      turn: turn.id,
      stop: stopOf(end),
      cursor: stream.end,
      ...this.#storyOf(turn, end),
    });
    this.#parts.changed();
  }

  /** An update of the running turn came. */
  heard(): void {
    const turn = this.running;
    if (turn && turn.firstUpdateAt === undefined) turn.firstUpdateAt = this.#parts.clock.now();
  }

  /** Where it ran, how long its parts took, and what it failed of. */
  #storyOf({ acceptedAt, startedAt, firstUpdateAt, extras }: SessionTurn, end: TurnEnd): TurnStory {
    const now = this.#parts.clock.now();
    const error = kindOfEnd(end);
    const traceparent = traceParent(extras);
    return {
      slot: this.#parts.backing.slot.name,
      waitedMs: (startedAt ?? now) - acceptedAt,
      ...(startedAt === undefined ? {} : { ms: now - startedAt }),
      ...(startedAt === undefined || firstUpdateAt === undefined
        ? {}
        : { firstUpdateMs: firstUpdateAt - startedAt }),
      ...(error === undefined ? {} : { error }),
      ...(traceparent === undefined ? {} : { traceparent }),
    };
  }

  /** Its time has come and its unit is taken: the agent is made ready, then it gets the prompt. */
  async #run(turn: SessionTurn): Promise<void> {
    const { backing, files, stream } = this.#parts;
    try {
      const binding = await backing.ensure();
      // It may have been cancelled while a process started, which goes on to serve the next.
      if (!this.#mayStart(turn)) return;
      const blocks = fitBlocks(turn.blocks, promptCapabilities(binding.agent.capabilities));
      stream.commit();
      const earlier = backing.owesTranscript ? transcriptBlock(files.journal, stream.end) : undefined;
      this.#start(turn);
      const prompt = earlier ? [earlier, ...blocks] : blocks;
      turn.agentRequest = binding.agent.prompt(
        binding.agentSession,
        turn.id,
        { ...turn.extras, prompt },
        (reply) => this.#answered(turn, binding, reply),
      );
      backing.owesTranscript = false;
      if (this.running === turn) this.#running?.listen(this.#silenceOf(turn, binding));
    } catch (error) {
      // That nothing starts in a hall that stops is no end of what the next one runs.
      if (turn.state === "queued" && !this.#mayStart(turn)) return;
      this.end(turn, { failure: error });
      this.#runningOver();
      return;
    }
    await this.untilOver();
    backing.watchIdle();
  }

  /** As `#run`, of a turn that its agent, another hall, has already: the same key again has its whole outcome. */
  async #goOn(turn: SessionTurn): Promise<void> {
    const { backing, clock, files } = this.#parts;
    try {
      const binding = await untilReached(() => backing.ensure(), clock);
      const { agent, agentSession } = binding;
      if (!this.#open.has(turn)) {
        agent.notify(CANCEL, { sessionId: agentSession, _meta: { [HallKey.turn]: turn.id } });
        return;
      }
      if (files.memory.bound?.way !== "resume") throw cutOff(backing.slot.name);
      const prompt = fitBlocks(turn.blocks, promptCapabilities(agent.capabilities));
      turn.agentRequest = agent.prompt(agentSession, turn.id, { prompt }, (reply) =>
        this.#answered(turn, binding, reply),
      );
      if (this.running === turn) this.#running?.listen(this.#silenceOf(turn, binding));
    } catch (error) {
      this.end(turn, { failure: error });
      if (this.running === turn) this.#runningOver();
      return;
    }
    await this.untilOver();
    backing.watchIdle();
  }

  #mayStart(turn: SessionTurn): boolean {
    return turn.state === "queued" && this.#open.has(turn) && !this.#heldBack.has(turn);
  }

  #silenceOf(turn: SessionTurn, binding: Binding): Silence {
    const { agentWaits, backing, cancelGrace, clock } = this.#parts;
    const limit = backing.slot.config.turnTimeout;
    return new Silence({
      clock,
      limit,
      lastLineAt: () => binding.lastLineAt,
      excused: agentWaits,
      tooLong: () => {
        if (turn.cancelled) return;
        const silent = `said nothing for ${showDuration(limit ?? 0)} (turn_timeout) and was cancelled`;
        turn.fault = binding.agent.failure("turn_timeout", silent);
        this.cancel(turn);
        // Where nothing escalates, its end may never come.
        if (cancelGrace() === 0) this.end(turn, endOfCancelled(turn));
      },
    });
  }

  /** Recorded as started, then told to all who look on: the user's words are the turn's first lines. */
  #start(turn: SessionTurn): void {
    const { backing, clock, events, files, stream } = this.#parts;
    const releaseFiles = files.hold();
    for (const block of turn.blocks) stream.gatherOurs(userChunk(block), { [HallKey.turn]: turn.id });
    const [from, to] = [stream.end, stream.gatheredEnd];
    try {
      this.#record.start(turn, from, to);
    } catch (error) {
      // A turn that never started leaves no line.
      stream.forget();
      releaseFiles();
      throw error;
    }
    turn.become("running");
    turn.startedAt = clock.now();
    this.#running = new RunningTurn(turn, releaseFiles);
    const { sender } = turn;
    const seat = !sender || sender.echo ? undefined : stream.seatOf(sender);
    const undoSkip = seat?.attachment?.skip(from, to);
    const failed = stream.tryCommit();
    if (failed) {
      undoSkip?.();
      throw failed;
    }
    if (backing.slot.ways.cancelTools) turn.tools = backing.binding?.agent.process.toolsSnapshot();
    if (files.memory.title === undefined) this.#parts.named(titleOf(turn.blocks));
    events.emit("turn.started", { sessionId: files.id, turn: turn.id });
  }

  /** The agent's answer ends the turn. When there will be none, the end of the process does. */
  #answered(turn: SessionTurn, binding: Binding, reply: Reply): void {
    if (this.running !== turn || (!reply.ok && reply.lost)) return;
    const result = reply.ok ? resultOf(reply.result) : {};
    const broke = (what: string): TurnEnd => ({ failure: binding.agent.failure("agent_protocol", what) });
    if (turn.cancelled) this.end(turn, endOfCancelled(turn, result));
    else if (!reply.ok && !reply.bytes) this.end(turn, broke("answered a prompt with what is no answer"));
    else if (!reply.ok && binding.agent.isHall && reply.error.code === Code.notFound)
      this.#endForgotten(turn);
    else if (!reply.ok) this.end(turn, endOfError(binding.agent.errorOf(reply.error)));
    else if (typeof result.stopReason === "string") this.end(turn, { result });
    else this.end(turn, broke("gave a prompt no stop reason"));
    this.#runningOver();
  }

  /** Our client's session is there: it is the hall behind that has lost its own, and begins anew at the next prompt. */
  #endForgotten(turn: SessionTurn): void {
    const { backing } = this.#parts;
    const slot = backing.slot.name;
    backing.lost();
    const sentence = `The hall behind slot ${slot} has this session no longer; prompt again, and a new one there is told what was said so far.`;
    this.end(turn, { failure: failure("restore_failed", sentence, { slot }) });
  }

  /** Nothing on the ladder helped: the client has its answer, the agent is given up. */
  #giveUp(turn: SessionTurn): void {
    if (this.running !== turn) return;
    this.#parts.backing.lost();
    this.end(turn, endOfCancelled(turn));
    this.#runningOver();
  }

  #closeWhatIsOpen(turn: SessionTurn): void {
    this.#parts.settle("over");
    for (const toolCallId of turn.toolCalls.takeAll())
      this.#parts.stream.gatherOurs(toolCallClosed(toolCallId));
  }

  #runningOver(): void {
    const running = this.#running;
    this.#running = undefined;
    running?.end();
  }
}

const CANCELLED: TurnEnd = { result: { stopReason: "cancelled" } };

const endOfCancelled = ({ fault }: SessionTurn, result: Fields = {}): TurnEnd =>
  fault ? { failure: fault } : { result: { ...result, stopReason: "cancelled" } };

/** An agent's own error goes to clients as it came, also from the record. */
const endOfError = (error: RpcError): TurnEnd =>
  error instanceof HallFailure ? { failure: error } : { error: error.body };

const stopOf = (end: TurnEnd): string => ("result" in end ? String(end.result.stopReason) : "error");

const kindOfEnd = (end: TurnEnd): string | undefined => {
  if (!("failure" in end)) return "error" in end ? "agent" : undefined;
  return end.failure instanceof HallFailure ? end.failure.kind : "other";
};
