import type { Fields } from "../acp/checks.ts";
import { Code, failure, HallFailure, type RpcError } from "../acp/errors.ts";
import { AgentMethod } from "../acp/methods.ts";
import type { Cancel, Clock } from "../ground/clock.ts";
import { showDuration } from "../ground/duration.ts";
import { unlessAborted } from "../ground/unless-aborted.ts";
import { type Agent, AgentError } from "./agent.ts";
import type { Binding, Bound } from "./binding.ts";
import { keepInside } from "./confines.ts";
import type { Events } from "./events.ts";
import { chooseAgain, openAgentSession, type Restored } from "./restore.ts";
import type { SessionFiles } from "./session-files.ts";
import { type InForce, Settings } from "./settings.ts";
import { Silence } from "./silence.ts";
import type { Slot } from "./slot.ts";

export interface BackingParts {
  clock: Clock;
  events: Events;
  files: SessionFiles;
  /** Where what the agent tells goes. */
  session: Bound;
  /** The agent session is a new one for an old session: people should see that its memory is not whole. */
  memoryLost(way: "transcript" | "fresh"): void;
  /** A hall behind this one, which kept what is in force, may have been told otherwise since `before`. */
  choseElsewhere(before: InForce): void;
  /** Nothing runs, waits or asks in the session. */
  resting(): boolean;
  /** The agent is let go, or gone: what was done for it ends. */
  left(): void;
  /** No agent is bound, on its way, or leaving any more. */
  freed(): void;
  noticed(what: string, detail?: unknown): void;
}

/** How an agent session is begun. */
interface Beginning {
  /** Waits for a place among `limits.processes`. */
  patient: boolean;
  /** The session had an agent session of this slot; what was in force in it is to be in force in this one. */
  again: boolean;
  /** The halls that a new session was asked for through. */
  via?: readonly string[];
}

/** An agent session that is on its way. */
interface Opening extends Way {
  readonly bound: Promise<Restored>;
}

/** How far it has come. */
interface Way {
  /** Nobody wants it any more: its process ends, wherever it is by then. */
  readonly giveUp: AbortController;
  /** Where it is being opened, once that is there. */
  agent: Agent | undefined;
}

/** What stands behind a session: its slot, the settings in force, and its agent session while it has one. */
export class Backing {
  slot: Slot;
  /** The agent session is a new one for an old session: its next prompt is to carry the conversation. */
  owesTranscript = false;
  readonly #parts: BackingParts;
  #binding: Binding | undefined;
  #opening: Opening | undefined;
  /** What was in force when there was last an agent session. */
  #kept: Settings;
  /** The ends of agents that were let go: what is left of one can still write, so the next one waits for them. */
  readonly #leaving = new Set<Promise<void>>();
  /** The settings that the record tells of. */
  #recorded = "";
  #closed: RpcError | undefined;
  #stopIdle: Cancel = () => {};

  constructor(slot: Slot, parts: BackingParts) {
    this.slot = slot;
    this.#parts = parts;
    const { memory } = parts.files;
    this.#kept = Settings.of(memory.modes, memory.configOptions);
    this.#recorded = inWords(this.#kept);
  }

  get binding(): Binding | undefined {
    return this.#binding;
  }

  get settings(): Settings {
    return this.#binding?.settings ?? this.#kept;
  }

  /** An agent is bound, on its way, or not gone yet. */
  get occupied(): boolean {
    return (this.#binding ?? this.#opening) !== undefined || this.#leaving.size > 0;
  }

  /** The agent that is bound, or about to be. */
  get agent(): Agent | undefined {
    return this.#binding?.agent ?? this.#opening?.agent;
  }

  /** The environment of the agent process, with what it says of the hall. */
  get environment(): Readonly<Record<string, string>> {
    return { ...this.slot.environment, ...this.#binding?.agent.environment };
  }

  /** The agent session: the one that is there, or one that is started and restored in the settings in force. */
  async ensure(): Promise<Binding> {
    for (;;) {
      // The process that it is in takes nothing new: it moves to the next one.
      if (this.#binding?.agent.retired) this.lost();
      if (this.#binding) return this.#binding;
      const { memory } = this.#parts.files;
      const opening =
        this.#opening ?? this.#begin(this.slot, { patient: true, again: memory.bound !== undefined });
      const { binding } = await opening.bound;
      if (!binding.agent.retired) return binding;
    }
  }

  /** The very first agent session of a new session. `via`: the halls that it was asked for through. */
  openFirst(via: readonly string[]): Promise<Restored> {
    return this.#begin(this.slot, { patient: false, again: false, via }).bound;
  }

  /** Another slot's agent takes over. When it cannot, everything stays as it was. */
  async switchTo(slot: Slot): Promise<Restored> {
    // One that is on its way for the slot of before is of no use any more, but for those who wait for it.
    await this.#opening?.bound.catch(() => {});
    return this.#begin(slot, { patient: true, again: false }).bound;
  }

  /** The agent is freed, or given up where it is still on its way; the session stays, and its next prompt restores it. */
  async release(): Promise<void> {
    const opening = this.#opening;
    this.#opening = undefined;
    opening?.giveUp.abort(this.#closed ?? releasedTooSoon());
    if (opening) this.#awaitEnd(opening.bound);
    this.lost();
    await this.#allGone();
  }

  /** As `release`, by force: of this agent nothing is left, but where other sessions' turns run in it. */
  async kill(agent: Agent | undefined): Promise<void> {
    const released = this.release();
    await agent?.killIfUnwanted();
    await released;
  }

  /** As `release`; what was set in the agent session is given up with it. Rejects when that cannot be recorded. */
  async startAfresh(): Promise<void> {
    await this.release();
    this.#parts.files.write({ type: "reset", at: this.#parts.clock.now() });
    this.#kept = new Settings();
    this.#recorded = inWords(this.#kept);
  }

  /** As `release`, for good: whoever wants an agent session from now on is told `why` there is none. */
  async close(why: RpcError): Promise<void> {
    this.#closed = why;
    await this.release();
  }

  /** The agent's process is over, or is given up: nothing that it still says gets through. */
  lost(): void {
    this.#stopIdle();
    const binding = this.#binding;
    if (!binding) return;
    this.#kept = binding.settings;
    this.#binding = undefined;
    binding.close();
    this.#parts.left();
    this.#awaitEnd(binding.agent.leave(binding.agentSession));
  }

  /** Begins to count the time in which nothing happens. */
  watchIdle(): void {
    const timeout = this.slot.config.idleTimeout;
    this.#stopIdle();
    const binding = this.#binding;
    if (timeout === undefined || !binding) return;
    const { agent } = binding;
    const { clock, resting } = this.#parts;
    const look = (): void => {
      const rests = resting() && (agent.shared || !agent.busy);
      const since = rests ? binding.lastLineAt : clock.monotonic();
      const left = since + timeout - clock.monotonic();
      // Nobody waits for it: the next prompt does.
      if (left <= 0) void this.release();
      else this.#stopIdle = clock.after(left, look);
    };
    this.#stopIdle = clock.after(timeout, look);
  }

  /** The settings as they are now, into the record, if that does not tell of them already. A disk that fails is noticed. */
  keepSettings(): void {
    const now = inWords(this.settings);
    if (now === this.#recorded) return;
    const { clock, files, noticed } = this.#parts;
    const { modes, configOptions } = this.settings;
    try {
      files.write({ type: "settings", at: clock.now(), modes, configOptions });
      this.#recorded = now;
    } catch (error) {
      noticed("the settings in force could not be recorded", error);
    }
  }

  #begin(slot: Slot, how: Beginning): Opening {
    const way: Way = { giveUp: new AbortController(), agent: undefined };
    const over = (): void => {
      if (this.#opening === opening) this.#opening = undefined;
      if (!this.occupied) this.#parts.freed();
    };
    const opening = Object.assign(way, { bound: this.#open(slot, how, way).finally(over) });
    this.#opening = opening;
    return opening;
  }

  async #open(slot: Slot, { patient, again, via = [] }: Beginning, way: Way): Promise<Restored> {
    const { signal } = way.giveUp;
    await this.#allGone();
    if (this.#closed) throw this.#closed;
    signal.throwIfAborted();
    const { memory } = this.#parts.files;
    keepInside(slot.config, { ...memory, mcpServers: this.#parts.files.mcpServers() });
    for (;;) {
      const agent = await slot.take(memory.cwd, patient, signal);
      way.agent = agent;
      try {
        return await this.#openIn(agent, slot, { again, via }, signal);
      } catch (error) {
        const died = error instanceof HallFailure && error.kind === "agent_exited";
        if (!died || !agent.wasWarm || signal.aborted) throw error;
      } finally {
        slot.used();
      }
    }
  }

  async #openIn(
    agent: Agent,
    slot: Slot,
    how: Pick<Required<Beginning>, "again" | "via">,
    signal: AbortSignal,
  ): Promise<Restored> {
    let binding: Binding | undefined;
    const bound = (made: Binding): void => {
      binding = made;
    };
    let left: Promise<void> | undefined;
    const end = (): Promise<void> => {
      binding?.close();
      if (!agent.shared) return agent.process.stop();
      if (binding) left ??= agent.leave(binding.agentSession);
      return left ?? Promise.resolve();
    };
    let giveUp = (): void => void end();
    signal.addEventListener("abort", () => giveUp(), { once: true });
    const impatience = this.#impatience(agent, slot, () => binding);
    try {
      signal.throwIfAborted();
      const restoring = this.#restore(agent, slot, how, bound);
      // One that is shared is not ended for a session that nobody wants any more; that is closed when it comes.
      const isUnwanted = (): boolean => signal.aborted || impatience.signal.aborted;
      if (agent.shared) restoring.finally(() => isUnwanted() && void end()).catch(() => {});
      const wanted = unlessAborted(restoring, agent.shared ? signal : undefined);
      const restored = await unlessAborted(wanted, impatience.signal);
      if (agent.gone) throw agent.exitFailure();
      signal.throwIfAborted();
      this.#adopt(restored, slot);
      return restored;
    } catch (error) {
      if (wantsLogin(error) && !signal.aborted) slot.keep(agent);
      else this.#awaitEnd(end());
      throw signal.aborted ? signal.reason : error;
    } finally {
      impatience.end();
      giveUp = () => {};
    }
  }

  /** Aborts with `init_timeout` when the agent says nothing for that long: it may never open the session. */
  #impatience(
    agent: Agent,
    { config }: Slot,
    binding: () => Binding | undefined,
  ): { signal: AbortSignal; end(): void } {
    const tooLate = new AbortController();
    const limit = config.initTimeout;
    const silence = new Silence({
      clock: this.#parts.clock,
      limit,
      // What a shared process says of its other sessions tells nothing of this one.
      lastLineAt: () => binding()?.lastLineAt ?? (agent.shared ? -Infinity : agent.lastLineAt),
      excused: () => false,
      tooLong: () => {
        const silent = `did not open the session: it said nothing for ${showDuration(limit)} (init_timeout)`;
        tooLate.abort(agent.failure("init_timeout", silent));
        // Its other sessions' turns go on in it; whoever comes next gets another.
        if (agent.shared) agent.retire();
      },
    });
    return { signal: tooLate.signal, end: () => silence.end() };
  }

  async #restore(
    agent: Agent,
    slot: Slot,
    { again, via }: Pick<Required<Beginning>, "again" | "via">,
    bound: (binding: Binding) => void,
  ): Promise<Restored> {
    const { files, session, noticed } = this.#parts;
    const { memory } = files;
    // A reload may have come while its agent started.
    keepInside(slot.config, { ...memory, mcpServers: files.mcpServers() });
    const ran = memory.turnsRun > 0;
    const restored = await openAgentSession(agent, {
      session,
      cwd: memory.cwd,
      additionalDirectories: memory.additionalDirectories,
      mcpServers: [...slot.config.mcpServers.map((server): Fields => ({ ...server })), ...files.mcpServers()],
      via,
      before: ran && again ? memory.bound?.agentSession : undefined,
      farPlace: memory.farPlace,
      otherwise: slot.config.restore,
      lacks: slot.ways.lacks,
      bound,
      noticed,
    });
    // A hall behind this one has kept what is in force, and may have been told otherwise by somebody there.
    const isAsItWas = agent.isHall && restored.way === "resume";
    if (again && !isAsItWas) await chooseAgain(restored.binding, this.#kept);
    const anew = memory.startsAfresh ? "fresh" : slot.config.restore;
    return { ...restored, way: ran && restored.way === "new" ? anew : restored.way };
  }

  /** Recorded first: what cannot be is not there, and what was there before stays. */
  #adopt({ binding, way }: Restored, slot: Slot): void {
    const { files, clock, events } = this.#parts;
    const { agent, agentSession } = binding;
    files.write({ type: "bound", at: clock.now(), slot: slot.name, agentSession, way });
    const before = this.settings.inForce;
    if (this.#binding) dismiss(this.#binding);
    this.slot = slot;
    this.#binding = binding;
    // One that was owed it, and is found again before it got it, is owed it still.
    if (way !== "resume" && way !== "load") this.owesTranscript = way === "transcript";
    if (!agent.shared)
      agent.occupant = {
        idleSince: () => (this.#parts.resting() ? agent.lastLineAt : undefined),
        // Let go at once: the prompt that comes while it ends is not for it any more.
        makeRoom: () => void (this.#binding === binding ? this.release() : agent.process.stop()),
      };
    this.keepSettings();
    events.emit("session.bound", { sessionId: files.id, slot: slot.name, way });
    if (way === "transcript" || way === "fresh") this.#parts.memoryLost(way);
    if (way === "resume" && agent.isHall) this.#parts.choseElsewhere(before);
    this.watchIdle();
  }

  #awaitEnd(end: Promise<unknown>): void {
    const over = (): void => {
      this.#leaving.delete(leaving);
      if (!this.occupied) this.#parts.freed();
    };
    // How an opening failed is told to those who waited for it.
    const leaving = end.then(over, over);
    this.#leaving.add(leaving);
  }

  /** An opening that was given up lets its agent go when it ends, so one end may follow upon another. */
  async #allGone(): Promise<void> {
    while (this.#leaving.size > 0) await Promise.all(this.#leaving);
  }
}

const inWords = ({ modes, configOptions }: Settings): string => JSON.stringify([modes, configOptions]);

const releasedTooSoon = (): RpcError =>
  failure("client_gone", "The session was closed while its agent started; load it to go on.");

/** The agent wants a login first: its process stays for the login that follows. */
const wantsLogin = (error: unknown): boolean =>
  error instanceof AgentError && error.code === Code.authRequired;

/** Another agent has taken over: nothing that this one still says gets through. */
function dismiss(binding: Binding): void {
  const { agent, agentSession } = binding;
  binding.close();
  if (!agent.shared && agent.can("close"))
    agent.request(AgentMethod.closeSession, { sessionId: agentSession }, () => {});
  void agent.leave(agentSession);
}
