import PQueue from "p-queue";
import { type Fields, isFields } from "../acp/checks.ts";
import type { Agent } from "./agent.ts";
import type { Lesson } from "./learned.ts";
import { Relayed } from "./relayed.ts";
import type { SlotConfig } from "./roster.ts";
import { type EditionParts, SlotEdition, type Ways } from "./slot-edition.ts";

/** A named way to run an agent, with its limits. It stays when a reload defines it anew, or takes it out. */
export class Slot {
  readonly name: string;
  readonly relayed = new Relayed();
  /** Turns that run at once. */
  readonly units: PQueue;
  #edition: SlotEdition;
  /** Earlier definitions by which some process still runs. */
  #former: SlotEdition[] = [];

  constructor(config: SlotConfig, parts: EditionParts) {
    this.name = config.name;
    this.#edition = new SlotEdition(config, parts);
    this.units = new PQueue({ concurrency: config.concurrency });
  }

  get config(): SlotConfig {
    return this.#edition.config;
  }

  get ways(): Ways {
    return this.#edition.parts.ways;
  }

  /** The roster does not have it any more: what was said in it can be read, its agent is not started. */
  get gone(): boolean {
    return this.#edition.parts.gone;
  }

  get environment(): Readonly<Record<string, string>> {
    return this.#edition.parts.environment();
  }

  /** Processes of this slot that run. */
  get agents(): ReadonlySet<Agent> {
    return new Set([...this.#former, this.#edition].flatMap(({ agents }) => [...agents]));
  }

  /** Why nothing is started for now, and what to do: its agent crashes again and again. Some sentences. */
  get failed(): string | undefined {
    return this.#edition.failed;
  }

  /** Somebody says that its agent is mended: it is started again at once. */
  forgetCrashes(): void {
    this.#edition.forgetCrashes();
  }

  /** Its definition is another, in nothing that its processes would notice. */
  adopt(config: SlotConfig): void {
    this.#edition.adopt(config);
    this.units.concurrency = config.concurrency;
  }

  /**
   * Its definition is another: new processes are started by it, and those that run go when their turn is over. What
   * waits for its turn waits on, in its order.
   */
  redefine(config: SlotConfig, parts: EditionParts): void {
    const before = this.#edition;
    this.#edition = new SlotEdition(config, parts);
    before.supersede();
    this.#former = [...this.#former, before].filter(({ agents }) => agents.size > 0);
    this.units.concurrency = config.concurrency;
  }

  /** What is known of the agent's abilities without asking it. */
  get lesson(): Lesson {
    return this.#edition.lesson;
  }

  /** It is being asked what it can do. */
  get isLearning(): boolean {
    return this.#edition.isLearning;
  }

  /** What the agent can do, as it said when it last ran; one that never ran is started and asked. */
  learn(): Promise<Lesson> {
    return this.#edition.learn();
  }

  /**
   * An initialised agent for a session in `cwd`. `patient`: waits for a place among `limits.processes`.
   * Rejects with `slot_gone`, `slot_failed`, `too_many_processes`, `spawn_failed`, `init_timeout` or `agent_exited`;
   * with the reason of `signal` when that gives it up, wherever it is by then.
   */
  take(cwd: string, patient: boolean, signal?: AbortSignal): Promise<Agent> {
    return this.#byItsLatest((edition) => edition.take(cwd, patient, signal), signal);
  }

  /** An agent that refused a session for want of a login: the login that follows is for it. */
  keep(agent: Agent): void {
    if (agent.retired && !agent.shared) void agent.process.stop();
    else this.#edition.keep(agent);
  }

  /** The agent that `authenticate` and `logout` speak to: one, however many ask at once. */
  forLogin(): Promise<Agent> {
    return this.#byItsLatest((edition) => edition.forLogin());
  }

  /** One of its agent's sessions was deleted. */
  forget(agentSession: string): void {
    this.#edition.parts.forget(agentSession);
  }

  /** What is to be kept warm is started. */
  wake(): void {
    this.#edition.wake();
  }

  /** A session has an agent, or could not get one. */
  used(): void {
    this.#edition.used();
  }

  /** Somebody logged in, or out: what was initialised before may not know. */
  loginChanged(): void {
    this.#edition.loginChanged();
  }

  /** The hall stops: nothing starts any more, and whatever runs or is starting ends. */
  async stop(): Promise<void> {
    await Promise.all([...this.#former, this.#edition].map((edition) => edition.stop()));
  }

  /** Where a reload came between, what was got or not got by the definition of before is of no use. */
  async #byItsLatest(get: (edition: SlotEdition) => Promise<Agent>, signal?: AbortSignal): Promise<Agent> {
    for (;;) {
      const edition = this.#edition;
      try {
        const agent = await get(edition);
        if (edition === this.#edition) return agent;
        if (!agent.shared) void agent.process.stop();
      } catch (error) {
        if (edition === this.#edition || signal?.aborted) throw error;
      }
    }
  }
}

/** Login methods that run in a terminal are done where the agent lives, not where the editor is. */
export function remoteAuthMethods(methods: readonly Fields[]): Fields[] {
  return methods.filter((method) => {
    const meta = isFields(method._meta) ? method._meta : {};
    return method.type !== "terminal" && meta["terminal-auth"] === undefined;
  });
}
