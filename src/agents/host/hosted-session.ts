import { inspect } from "node:util";
import type { Call } from "../../acp/agent-side.ts";
import { type Fields, requiredArray } from "../../acp/checks.ts";
import { promptBlocks } from "../../acp/content.ts";
import type { AgentDefinition } from "./agent-definition.ts";
import { boundTurn } from "./bound-turn.ts";
import type { ClientLink } from "./client-link.ts";
import type { ContentBlock } from "./content-block.ts";
import { HostedTurn } from "./hosted-turn.ts";
import { McpServers } from "./mcp/mcp-servers.ts";
import type { Memory } from "./memory.ts";
import { hostFailure } from "./module-failure.ts";
import { type Patience, withPatience } from "./patience.ts";
import type { ClientAbilities, Session } from "./session.ts";
import type { ToldSession } from "./told/told-session.ts";
import { STOP_REASONS, type StopReason } from "./turn.ts";
import { TurnCancelled } from "./turn-cancelled.ts";

export interface HostedSessionParts {
  id: string;
  cwd: string;
  additionalDirectories: readonly string[];
  mcpServers: readonly Fields[];
  client: ClientAbilities;
  agent: AgentDefinition;
  link: ClientLink;
  memory: Memory;
  /** Where what is said is kept for a load; undefined: nowhere. */
  told: ToldSession | undefined;
  patience: Patience;
  /** What the agent threw, as an answer. */
  explain(error: unknown): Error;
}

/** Prompts that may wait in a session: an editor sends one at a time, a hall too. */
const QUEUE_LIMIT = 16;

/** A prompt that has no answer yet. */
interface Waiting {
  call: Call;
  blocks: readonly ContentBlock[];
  cancel: AbortController;
}

/** One session of an agent that is written as code: one turn at a time, the next prompts wait. */
export class HostedSession implements Session {
  readonly id: string;
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  readonly mcpServers: readonly Fields[];
  readonly client: ClientAbilities;
  readonly #parts: HostedSessionParts;
  readonly #servers: McpServers;
  #waiting: Waiting[] = [];
  #running: Waiting | undefined;
  #over: (() => void)[] = [];

  constructor(parts: HostedSessionParts) {
    this.#parts = parts;
    this.id = parts.id;
    this.cwd = parts.cwd;
    this.additionalDirectories = parts.additionalDirectories;
    this.mcpServers = parts.mcpServers;
    this.client = parts.client;
    this.#servers = new McpServers(parts.mcpServers, parts.cwd, parts.patience.clock);
  }

  // Fields, so that a module may take a session apart.
  readonly recall = (): unknown => this.#parts.memory.read(this.id);

  readonly remember = (value: unknown): void => {
    if (value === undefined) this.#parts.memory.forget(this.id);
    else this.#parts.memory.write(this.id, value);
  };

  /** Tells the client what was told in this session before, and then the rest. */
  replay(rest: readonly Fields[]): void {
    const { link, told } = this.#parts;
    for (const update of [...(told?.read() ?? []), ...rest]) link.update(update);
  }

  /** Takes a prompt. Throws -32602 for blocks that are none, `queue_full` when too many wait. */
  prompt(call: Call): void {
    const blocks = promptBlocks(requiredArray(call.params, "prompt")).filter(isContentBlock);
    if (this.#waiting.length >= QUEUE_LIMIT) {
      const what = `${QUEUE_LIMIT} prompts wait in this session already; wait for an answer to one of them.`;
      throw hostFailure("queue_full", what, { limit: QUEUE_LIMIT });
    }
    this.#waiting.push({ call, blocks, cancel: new AbortController() });
    void this.#next();
  }

  /** The turn that runs is told; prompts that wait are answered `cancelled`, and never run. */
  cancel(by: TurnCancelled["by"] = "person"): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { call } of waiting) call.reply({ stopReason: "cancelled" });
    this.#running?.cancel.abort(new TurnCancelled(by));
  }

  /** The client takes one prompt back. */
  takeBack(call: Call): void {
    if (this.#running?.call === call) this.#running.cancel.abort(new TurnCancelled("person"));
    const waiting = this.#waiting.find((one) => one.call === call);
    if (!waiting) return;
    this.#waiting = this.#waiting.filter((one) => one !== waiting);
    call.reply({ stopReason: "cancelled" });
  }

  /** Cancels, waits for the turn to be over, and lets go of the MCP servers. */
  async close(by: TurnCancelled["by"] = "person"): Promise<void> {
    this.cancel(by);
    if (this.#running) await new Promise<void>((resolve) => this.#over.push(resolve));
    await this.#servers.close();
  }

  /** The session as a turn sees it. What a turn that was given up remembers at last would undo what later ones did. */
  #seenBy(counts: () => boolean): Session {
    const { id, cwd, additionalDirectories, mcpServers, client, recall } = this;
    const remember = (value: unknown): void => {
      if (counts()) this.remember(value);
    };
    return { id, cwd, additionalDirectories, mcpServers, client, recall, remember };
  }

  async #next(): Promise<void> {
    if (this.#running) return;
    const waiting = this.#waiting.shift();
    if (!waiting) return;
    this.#running = waiting;
    const answer = await this.#play(waiting);
    this.#running = undefined;
    answer();
    const over = this.#over;
    this.#over = [];
    for (const ring of over) ring();
    void this.#next();
  }

  /** Plays a turn; answers how its prompt is to be answered. Whatever a cancelled turn came to, it was cancelled. */
  async #play({ call, blocks, cancel }: Waiting): Promise<() => void> {
    const { agent, link, told, patience, explain } = this.#parts;
    told?.begin(blocks);
    let isGivenUp = false;
    const turn = new HostedTurn({
      blocks,
      session: this.#seenBy(() => !isGivenUp),
      signal: cancel.signal,
      link,
      servers: this.#servers,
    });
    let stopReason: StopReason = "end_turn";
    try {
      const outcome = (async () => stopReasonOf(await agent.prompt(boundTurn(turn))))();
      const reason = await withPatience(outcome, cancel.signal, patience);
      isGivenUp = reason === undefined;
      stopReason = reason ?? "cancelled";
    } catch (error) {
      if (!cancel.signal.aborted) return () => call.fail(explain(error));
    } finally {
      turn.end();
      told?.end();
    }
    if (cancel.signal.aborted) stopReason = "cancelled";
    return () => call.reply({ stopReason });
  }
}

/** What `prompt` returned, as a stop reason. A module is JavaScript: its types promise nothing. */
function stopReasonOf(returned: unknown): StopReason {
  const reason = STOP_REASONS.find((known) => known === (returned ?? "end_turn"));
  if (reason !== undefined) return reason;
  const shown = inspect(returned, { depth: 1, breakLength: Number.POSITIVE_INFINITY }).slice(0, 80);
  throw new TypeError(
    `prompt() returned ${shown}, which is no stop reason. What the agent says is said by turn.say(); return nothing, or one of ${STOP_REASONS.join(", ")}.`,
  );
}

/** `promptBlocks` has looked at each. */
const isContentBlock = (block: Fields): block is ContentBlock => typeof block.type === "string";
