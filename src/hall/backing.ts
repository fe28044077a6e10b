import { fieldsOf } from "../acp/checks.ts";
import { Code, failure } from "../acp/errors.ts";
import { AgentMethod } from "../acp/methods.ts";
import { MARK_VARIABLE } from "../agents/mark.ts";
import type { Cancel, Clock } from "../ground/clock.ts";
import { type Agent, AgentError } from "./agent.ts";
import type { Binding, Bound } from "./binding.ts";
import type { Events } from "./events.ts";
import { chooseAgain, openAgentSession, type Restored } from "./restore.ts";
import type { SessionFiles } from "./session-files.ts";
import { Settings } from "./settings.ts";
import type { Slot } from "./slot.ts";

export interface BackingParts {
  clock: Clock;
  events: Events;
  files: SessionFiles;
  /** Where what the agent tells goes. */
  session: Bound;
  /** The agent session is a new one for an old session: people should see that its memory is not whole. */
  memoryLost(way: "transcript" | "fresh"): void;
  /** Nothing runs, waits or asks in the session. */
  resting(): boolean;
  noticed(what: string, detail?: unknown): void;
}

/** What stands behind a session: its slot, the settings in force, and its agent session while it has one. */
export class Backing {
  slot: Slot;
  settings: Settings;
  readonly #parts: BackingParts;
  #binding: Binding | undefined;
  #opening: Promise<Binding> | undefined;
  #opened: Agent | undefined;
  /** The agent session is a new one for an old session: its first prompt is to carry the conversation. */
  #owesTranscript = false;
  #stopIdle: Cancel = () => {};
  #released = false;

  constructor(slot: Slot, parts: BackingParts) {
    this.slot = slot;
    this.#parts = parts;
    const { memory } = parts.files;
    this.settings = Settings.of(memory.modes, memory.configOptions);
  }

  get binding(): Binding | undefined {
    return this.#binding;
  }

  /** An agent is bound, or on its way. */
  get occupied(): boolean {
    return this.#binding !== undefined || this.#opening !== undefined || this.#opened !== undefined;
  }

  /** The environment of the agent process, its mark included. */
  get environment(): Readonly<Record<string, string>> {
    const mark = this.#binding?.agent.process.mark;
    return { ...this.slot.environment, ...(mark === undefined ? {} : { [MARK_VARIABLE]: mark }) };
  }

  /** True once, after the agent's own memory of the session was lost and a transcript is to replace it. */
  takeTranscriptDebt(): boolean {
    const owes = this.#owesTranscript;
    this.#owesTranscript = false;
    return owes;
  }

  /** The agent session: the one that is there, or one that is started and restored in the settings in force. */
  ensure(): Promise<Binding> {
    if (this.#binding) return Promise.resolve(this.#binding);
    this.#opening ??= this.#restore().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  /** The very first agent session of a new session. `agentTaken` runs as soon as its process is there. */
  async openFirst(agentTaken: (agent: Agent) => void): Promise<Restored> {
    const agent = await this.slot.take(this.#parts.files.memory.cwd, false);
    agentTaken(agent);
    return this.#open(agent, this.slot, false);
  }

  /** Another slot's agent takes over. When it cannot, everything stays as it was. */
  async switchTo(slot: Slot): Promise<Restored> {
    this.#released = false;
    const agent = await slot.take(this.#parts.files.memory.cwd, true);
    return this.#open(agent, slot, false);
  }

  /** The agent is freed; the session stays, and its next prompt restores it. */
  async release(): Promise<void> {
    this.#stopIdle();
    this.#released = true;
    const agent = this.#binding?.agent ?? this.#opened;
    this.#binding?.close();
    this.#binding = undefined;
    this.#opened = undefined;
    await agent?.process.stop();
  }

  /** The agent's process is over. */
  lost(): void {
    this.#stopIdle();
    this.#binding = undefined;
  }

  /** Gives up on an agent that does not end: nothing that it still says gets through. */
  abandon(): void {
    this.#stopIdle();
    this.#binding?.close();
    this.#binding = undefined;
  }

  /** Begins to count the time in which nothing happens. */
  watchIdle(): void {
    const timeout = this.slot.config.idleTimeout;
    this.#stopIdle();
    const agent = this.#binding?.agent;
    if (timeout === undefined || !agent) return;
    const { clock, resting } = this.#parts;
    const look = (): void => {
      if (!resting()) return;
      const left = agent.lastLineAt + timeout - clock.monotonic();
      if (left <= 0) void this.release();
      else this.#stopIdle = clock.after(left, look);
    };
    this.#stopIdle = clock.after(timeout, look);
  }

  /** The settings as they are now, into the record. */
  keepSettings(): void {
    const { modes, configOptions } = this.settings;
    this.#parts.files.write({ type: "settings", at: this.#parts.clock.now(), modes, configOptions });
  }

  async #restore(): Promise<Binding> {
    this.#released = false;
    const { memory } = this.#parts.files;
    const agent = await this.slot.take(memory.cwd, true);
    const restored = await this.#open(agent, this.slot, memory.bound !== undefined);
    return restored.binding;
  }

  /** `again`: the session had an agent session of this slot; what was in force in it is to be in force in this one. */
  async #open(agent: Agent, slot: Slot, again: boolean): Promise<Restored> {
    const { files, session, noticed } = this.#parts;
    const { memory } = files;
    const ran = memory.turnsRun > 0;
    const kept = Settings.of(this.settings.modes, this.settings.configOptions);
    this.#opened = agent;
    try {
      const restored = await openAgentSession(agent, {
        sessionId: files.id,
        session,
        cwd: memory.cwd,
        additionalDirectories: memory.additionalDirectories,
        mcpServers: [...slot.config.mcpServers.map(fieldsOf), ...files.mcpServers()],
        before: ran && again ? memory.bound?.agentSession : undefined,
        otherwise: slot.config.restore,
        lacks: slot.ways.lacks,
        noticed,
      });
      const way = ran && restored.way === "new" ? slot.config.restore : restored.way;
      const offered = Settings.of(restored.result.modes, restored.result.configOptions);
      const settings = again ? await chooseAgain(restored.binding, offered, kept) : offered;
      if (agent.gone) throw agent.exitFailure();
      if (this.#released) throw failure("client_gone", "The session was closed while its agent started.");
      this.#adopt({ ...restored, way }, slot, settings);
      return restored;
    } catch (error) {
      this.settings = kept;
      this.#opened = undefined;
      if (wantsLogin(error)) slot.keep(agent);
      else void agent.process.stop();
      throw error;
    }
  }

  #adopt({ binding, way }: Restored, slot: Slot, settings: Settings): void {
    const { files, clock, events } = this.#parts;
    this.#opened = undefined;
    if (this.#binding) dismiss(this.#binding);
    this.slot = slot;
    this.settings = settings;
    this.#binding = binding;
    this.#owesTranscript = way === "transcript";
    binding.agent.idleSince = () => (this.#parts.resting() ? binding.agent.lastLineAt : undefined);
    const { agentSession } = binding;
    files.write({ type: "bound", at: clock.now(), slot: slot.name, agentSession, way });
    this.keepSettings();
    events.emit("session.bound", { session: files.id, slot: slot.name, way });
    if (way === "transcript" || way === "fresh") this.#parts.memoryLost(way);
    this.watchIdle();
  }
}

/** The agent wants a login first: its process stays for the login that follows. */
const wantsLogin = (error: unknown): boolean =>
  error instanceof AgentError && error.code === Code.authRequired;

/** Another agent has taken over: nothing that this one still says gets through. */
function dismiss(binding: Binding): void {
  const { agent, agentSession } = binding;
  binding.close();
  if (agent.can("close")) agent.request(AgentMethod.closeSession, { sessionId: agentSession }, () => {});
  void agent.process.stop();
}
