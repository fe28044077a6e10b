import { type Fields, metaOf, resultOf } from "../acp/checks.ts";
import { failure, type HallFailure, invalidParams, sessionNotFound, shuttingDown } from "../acp/errors.ts";
import { HallKey } from "../acp/extensions.ts";
import { ClientMethod } from "../acp/methods.ts";
import { kindOf } from "../acp/updates.ts";
import type { Clock } from "../ground/clock.ts";
import { parsed } from "../ground/json.ts";
import type { Desk } from "../permission/desk.ts";
import type { HookAnswer, HookQuestion } from "../permission/hook-question.ts";
import type { Judge } from "../permission/judge.ts";
import type { IncomingRequest } from "../wire/peer.ts";
import { type Edit, splice } from "../wire/splice.ts";
import type { LivingProcesses } from "../workspace/process-group.ts";
import { Roots } from "../workspace/roots.ts";
import { Backing } from "./backing.ts";
import type { Bound } from "./binding.ts";
import { AgentCalls } from "./calls.ts";
import { deniableCall } from "./client-call.ts";
import type { Events } from "./events.ts";
import { Permissions } from "./permissions.ts";
import { Relays } from "./relays.ts";
import type { Seat } from "./seat.ts";
import { Served } from "./served.ts";
import type { SessionFiles } from "./session-files.ts";
import { SessionMenu } from "./session-menu.ts";
import type { Slot } from "./slot.ts";
import type { Slots } from "./slots.ts";
import { Stream } from "./stream.ts";
import { Turns } from "./turns.ts";
import { Viewers } from "./viewers.ts";

export interface SessionParts {
  clock: Clock;
  desk: Desk;
  judge: Judge;
  events: Events;
  /** Of this run of the hall, random. */
  run: string;
  cancelGrace(): number;
  queueLimit(): number;
  syncTurns(): boolean;
  slots: Slots;
  /** The slots that a session's owner may use; undefined: all. */
  slotsOf(owner: string): ReadonlySet<string> | undefined;
  /** What the hall serves to no agent: its state, its roster. */
  forbidden(): readonly string[];
  processes: LivingProcesses;
  nextId(kind: "turn" | "question"): string;
  /** Title, slot or turns changed. */
  changed(session: Session): void;
  /** A client has left it, or its agent is gone: it may be that nothing goes on in it any more. */
  rested(session: Session): void;
  noticed(what: string, detail?: unknown): void;
}

/** What became of a session's agent that was to be killed. */
export type AgentAfterKill = "killed" | "left to others" | "at another hall" | "none";

/** One persistent conversation in one slot. Clients come and go; its turns, its journal and its agent do not mind. */
export class Session implements Bound {
  readonly id: string;
  readonly files: SessionFiles;
  readonly turns: Turns;
  readonly viewers: Viewers;
  readonly stream: Stream;
  readonly relays: Relays;
  readonly permissions: Permissions;
  readonly #parts: SessionParts;
  readonly #backing: Backing;
  readonly #calls: AgentCalls;
  readonly #menu: SessionMenu;

  constructor(files: SessionFiles, slot: Slot, parts: SessionParts) {
    this.id = files.id;
    this.files = files;
    this.#parts = parts;
    const { clock, desk, judge, events, noticed } = parts;
    this.stream = new Stream({
      sessionId: files.id,
      journal: files.journal,
      desk,
      run: parts.run,
      broke: (failed) => this.#journalFailed(failed),
      grown: (bytes) => this.#journalGrown(bytes),
    });
    this.#backing = new Backing(slot, {
      clock,
      events,
      files,
      session: this,
      memoryLost: (way) => this.#menu.tellMemoryLost(way),
      choseElsewhere: (before) => this.#menu.tellChoices(before),
      resting: () => this.resting,
      left: () => this.#calls.agentGone(),
      freed: () => parts.rested(this),
      noticed,
    });
    this.#menu = new SessionMenu({
      backing: this.#backing,
      stream: this.stream,
      choices: () => parts.slots.choicesAmong(parts.slotsOf(files.memory.owner)),
      slotStays: () => this.hasTurns,
    });
    this.permissions = new Permissions({
      clock,
      desk,
      judge,
      events,
      files,
      nextId: () => parts.nextId("question"),
      askees: () => this.stream.audience.filter(({ viewer }) => viewer.mayApprove),
      slot: () => this.slot,
      turn: () => this.turns.running,
      tell: (update) => this.stream.tell(update),
      changed: (anyOpen) => this.#questionsChanged(anyOpen),
      noticed,
    });
    this.#calls = new AgentCalls({
      slot: () => this.slot,
      sender: () => this.#senderSeat(),
      audience: () => this.stream.audience,
      answered: () => this.turns.agentWasAnswered(),
      served: new Served({
        clock,
        processes: parts.processes,
        grace: parts.cancelGrace,
        roots: () => {
          const { cwd, additionalDirectories } = this.#backing.premises(this.slot);
          return new Roots(cwd, additionalDirectories, parts.forbidden());
        },
        environment: () => this.#backing.environment,
        tell: (update) => this.stream.tell(update),
      }),
      noticed,
    });
    this.relays = new Relays({
      backing: this.#backing,
      stream: this.stream,
      options: () => this.#menu.options,
      settled: () => this.#backing.keepSettings(),
      answer: (viewer, say) => this.viewers.answer(viewer, this.stream.end, say),
    });
    this.turns = new Turns({
      clock,
      events,
      files,
      stream: this.stream,
      backing: this.#backing,
      cancelGrace: parts.cancelGrace,
      queueLimit: parts.queueLimit,
      syncTurns: parts.syncTurns,
      nextId: () => parts.nextId("turn"),
      settle: (why) => {
        this.permissions.settle(why);
        if (why === "cancelled") this.#calls.cancelled();
      },
      agentWaits: () => this.permissions.anyOpen || this.#calls.anyWithClient,
      named: (title) => this.#title(title, "prompt"),
      changed: () => parts.changed(this),
      idle: () => parts.rested(this),
    });
    this.viewers = new Viewers({
      sessionId: files.id,
      desk,
      events,
      stream: this.stream,
      turns: this.turns,
      permissions: this.permissions,
      calls: this.#calls,
      backing: this.#backing,
      slot: () => this.slot,
      rested: () => parts.rested(this),
    });
  }

  get owner(): string {
    return this.files.memory.owner;
  }

  get slot(): Slot {
    return this.#backing.slot;
  }

  /** The mark of the agent process that has a turn of it now. */
  get runsIn(): string | undefined {
    return this.turns.running && this.#backing.binding?.agent.process.mark;
  }

  /** Nothing runs, waits or asks. */
  get resting(): boolean {
    return this.turns.idle && !this.permissions.anyOpen;
  }

  /** It rests, no agent is bound to it, and nobody reads it: nothing is lost when it leaves the memory. */
  get dormant(): boolean {
    const [reader] = this.stream.seats;
    return this.resting && !reader && !this.#backing.occupied;
  }

  /** Nothing was ever asked in it, and no client that could ask looks at it, or returns to it. */
  get unused(): boolean {
    const isLookedAt = [...this.stream.seats].some((seat) => seat.taken || seat.viewer.returns);
    return !this.hasTurns && !isLookedAt;
  }

  /** An agent process serves it, is on its way, or is not gone yet. */
  get hasAgent(): boolean {
    return this.#backing.occupied;
  }

  get hasTurns(): boolean {
    return this.files.memory.turns.size > 0;
  }

  // Its end

  /** Ends everything in it, for everybody, and takes it from the disk. */
  async delete(): Promise<void> {
    await this.turns.finish();
    await this.#backing.close(sessionNotFound(this.id));
    for (const seat of [...this.stream.seats]) this.viewers.detach(seat.viewer);
    this.files.remove();
    this.#parts.events.emit("session.deleted", { sessionId: this.id });
  }

  /** The hall stops: the agent is freed, the files are closed. False: not all of it is on the platter. */
  async retire(): Promise<boolean> {
    this.turns.leaveHeldBack();
    await this.#backing.close(shuttingDown());
    this.stream.commit();
    return this.putDown();
  }

  /** It leaves the memory: its files are synced and closed. False: they could not be synced. */
  putDown(): boolean {
    try {
      this.files.sync();
    } catch (error) {
      this.#parts.noticed(`the files of ${this.id} could not be synced`, error);
      return false;
    } finally {
      this.files.close();
    }
    return true;
  }

  // Its agent

  /** A client comes back, and says anew which folders and MCP servers the agent is to have from its next start on. */
  returnWith(additionalDirectories: string[], mcpServers: readonly Fields[] | undefined): void {
    if (this.#backing.binding) return;
    if (mcpServers) this.files.keepMcpServers(mcpServers);
    this.files.memory.additionalDirectories = additionalDirectories;
  }

  /** A new session gets its first agent session; `via`: see `viaOf`. Rejects with the agent's own error, or how it failed. */
  async begin(via: readonly string[] = []): Promise<Fields> {
    const { result } = await this.#backing.openFirst(via);
    const { sessionId: _agentsOwn, ...rest } = result;
    return { ...rest, ...this.settingsResult };
  }

  /**
   * Ends what runs and waits in it, and its agent, at once: by SIGKILL. Answers the turns that it ended, and what
   * became of the agent; one that other sessions' turns run in ends behind them.
   */
  async kill(): Promise<{ turns: string[]; agent: AgentAfterKill }> {
    const { agent } = this.#backing;
    const turns = this.turns.open.map(({ id }) => id);
    this.turns.kill();
    await this.turns.untilOver();
    await this.#backing.kill(agent);
    if (!agent) return { turns, agent: "none" };
    if (agent.isHall) return { turns, agent: "at another hall" };
    return { turns, agent: agent.process.exit ? "killed" : "left to others" };
  }

  /** Nobody wants it any more: the agent that is being started for it ends. */
  giveUp(): Promise<void> {
    return this.#backing.release();
  }

  /**
   * Its agent session is given up, with what was set in it; the next prompt gets a new one. In the order of its
   * queue: resolves when that is done. Rejects when it cannot be recorded.
   */
  reset(): Promise<void> {
    return new Promise((resolve, reject) => {
      const run = async (): Promise<void> => {
        try {
          await this.#backing.startAfresh();
          this.#menu.forgetCommands();
          this.#parts.events.emit("session.reset", { sessionId: this.id });
          resolve();
        } catch (error) {
          reject(error);
        }
      };
      this.turns.queue.add({ takesUnit: false, run });
    });
  }

  /** Modes and options as results carry them: what is in force, with the hall's own menu. */
  get settingsResult(): Fields {
    return this.#menu.inForce;
  }

  /** Its menu as clients see it, to know whether it is another after a change. */
  get menuInWords(): string {
    return JSON.stringify(this.#menu.options);
  }

  /** The roster has become another. `before`: its menu as it was. */
  slotsChanged(before: string): void {
    const [reader] = this.stream.seats;
    if (reader && this.menuInWords !== before) this.#menu.tellOptions();
    if (this.resting) this.#backing.watchIdle();
  }

  /** The session moves to another slot, in the order of its queue. Throws -32602; only before its first turn. */
  changeSlot(name: string, settle: (outcome: { result: Fields } | { failure: unknown }) => void): void {
    const slot = this.#parts.slots.choose(name);
    if (this.hasTurns) {
      throw invalidParams(
        "The slot can be changed until the first prompt only; start a new session for another.",
      );
    }
    const change = async (): Promise<void> => {
      this.#menu.forgetCommands();
      try {
        if (slot !== this.slot) await this.#backing.switchTo(slot);
        this.#menu.announceSlot();
        settle({ result: { configOptions: this.#menu.options } });
        this.#parts.changed(this);
      } catch (error) {
        settle({ failure: error });
      }
    };
    this.turns.queue.check();
    this.turns.queue.add({ takesUnit: false, run: change });
  }

  // What its agent tells

  record(update: Fields, first: Buffer, rest?: Buffer): void {
    this.slot.relayed.add(first.length + (rest?.length ?? 0));
    this.turns.heard();
    switch (kindOf(update)) {
      case "agent_message_chunk":
      case "agent_thought_chunk":
        break;
      case "user_message_chunk":
        if (this.stream.readsAgain && this.#isOurs(rest ? Buffer.concat([first, rest]) : first)) return;
        break;
      case "tool_call":
      case "tool_call_update":
        this.turns.running?.toolCalls.see(kindOf(update), update);
        this.permissions.see(update);
        this.#calls.seeToolCall(update);
        break;
      case "available_commands_update":
        this.#menu.commandsTold();
        break;
      case "current_mode_update":
        this.#backing.keepSettings();
        break;
      case "config_option_update":
        this.#backing.keepSettings();
        this.stream.gather(this.#menu.withSlots(update, rest ? Buffer.concat([first, rest]) : first));
        return;
      case "session_info_update":
        if (typeof update.title === "string" || update.title === null) this.#title(update.title, "agent");
        break;
    }
    this.stream.gather(first, rest);
  }

  readEnd(): void {
    this.stream.commit();
  }

  readAgain(from: number): void {
    this.stream.commit();
    this.stream.readAgain(from);
  }

  readOn(): void {
    this.stream.readOn();
  }

  /** A hall behind this one tells what was said in a turn of ours: it stands in the journal since that began. */
  #isOurs(line: Buffer): boolean {
    const turn = metaOf(resultOf(resultOf(parsed(line.toString("utf8"))).params))[HallKey.turn];
    return typeof turn === "string" && this.files.memory.turns.has(turn);
  }

  request(request: IncomingRequest, params: Fields, toClient: readonly Edit[]): boolean {
    this.stream.commit();
    const line = splice(request.bytes, [...toClient, ...this.#requestIdEdit(params)]);
    if (request.method !== ClientMethod.requestPermission) return this.#call(request, params, line);
    this.permissions.ask(request, params, line);
    return true;
  }

  /** A hook of the agent's asks, by the per-run socket. */
  hookAsks(question: HookQuestion, asker: object, answer: (answer: HookAnswer) => void): void {
    this.stream.commit();
    this.permissions.hookAsks(question, asker, answer);
  }

  hookGone(asker: object): void {
    this.permissions.hookGone(asker);
  }

  withdrawn(request: IncomingRequest): void {
    this.permissions.withdrawn(request);
    this.#calls.withdrawn(request);
  }

  notification(method: string, params: Fields, line: Buffer): void {
    if (method.startsWith("$/")) return;
    this.stream.commit();
    this.#calls.passOn(method, params, line);
  }

  failed(failed: HallFailure): void {
    this.turns.agentFailed(failed, false);
  }

  gone(failed: HallFailure): void {
    this.stream.commit();
    this.#backing.lost();
    this.turns.agentFailed(failed, true);
    this.permissions.settle("over");
  }

  // Small things

  /** What a rule denies is not done through a client or the hall either. False: there is no such method. */
  #call(request: IncomingRequest, params: Fields, line: Buffer): boolean {
    const call = deniableCall(request.method, params);
    if (!call) return this.#calls.take(request, params, line);
    this.permissions.guard(
      call,
      () => void this.#calls.take(request, params, line),
      (why) => request.fail(failure("not_authorized", why).body),
    );
    return true;
  }

  /** A form may belong to a request of the client's, which knows it by another id than the agent. */
  #requestIdEdit({ requestId }: Fields): Edit[] {
    const known = typeof requestId === "number" || typeof requestId === "string";
    if (!known) return [];
    const turn = this.turns.running;
    const id = turn?.agentRequest === requestId ? turn.requestId : this.relays.clientsId(requestId);
    return id === undefined ? [] : [{ path: ["params", "requestId"], json: JSON.stringify(id) }];
  }

  /** One that is away and returns is still the one: nobody else is called in its place. */
  #senderSeat(): Seat | undefined {
    const sender = this.turns.running?.sender;
    const seat = sender && this.stream.seatOf(sender);
    return seat && (!seat.viewer.gone || seat.viewer.returns) ? seat : undefined;
  }

  #questionsChanged(anyOpen: boolean): void {
    const turn = this.turns.running;
    this.turns.agentWasAnswered();
    if (turn?.state === "running" && anyOpen) turn.become("requires_action");
    else if (turn?.state === "requires_action" && !anyOpen) turn.become("running");
    if (this.resting) this.#backing.watchIdle();
  }

  #title(title: string | null, by: "prompt" | "agent"): void {
    try {
      this.files.write({ type: "titled", at: this.#parts.clock.now(), title, by });
    } catch (error) {
      this.#parts.noticed("the title could not be recorded", error);
    }
    this.#parts.changed(this);
  }

  #journalFailed(failed: HallFailure): void {
    this.#parts.noticed("the journal could not be written", failed);
    this.#parts.events.emit("session_error", { sessionId: this.id, kind: failed.kind });
    this.turns.journalFailed(failed);
  }

  #journalGrown(bytes: number): void {
    this.#parts.noticed(
      `the journal of ${this.id} has come to ${bytes / 2 ** 30} GiB; to save the disk, export and delete it ` +
        "(hall sessions) and go on in a new session",
    );
  }
}
