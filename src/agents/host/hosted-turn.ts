import { resolve } from "node:path";
import { type Fields, isFields } from "../../acp/checks.ts";
import { ClientMethod } from "../../acp/methods.ts";
import type { ClientLink } from "./client-link.ts";
import { ClientTerminal } from "./client-terminal.ts";
import type { ContentBlock } from "./content-block.ts";
import type { McpServers } from "./mcp/mcp-servers.ts";
import { hostFailure } from "./module-failure.ts";
import { OpenToolCall } from "./open-tool-call.ts";
import type { ClientAbilities, Session } from "./session.ts";
import type {
  McpTool,
  Option,
  PlanEntry,
  Question,
  SessionUpdate,
  Terminal,
  TerminalOptions,
  Tool,
  ToolCall,
  Turn,
} from "./turn.ts";
import { TurnCancelled } from "./turn-cancelled.ts";
import { userText } from "./user-text.ts";

export interface HostedTurnParts {
  blocks: readonly ContentBlock[];
  session: Session;
  signal: AbortSignal;
  link: ClientLink;
  servers: McpServers;
}

const ALLOW_OR_REJECT: readonly Option[] = [
  { optionId: "allow", name: "Allow", kind: "allow_once" },
  { optionId: "reject", name: "Reject", kind: "reject_once" },
];

/** One turn of an agent that is written as code, while it is played. */
export class HostedTurn implements Turn {
  readonly blocks: readonly ContentBlock[];
  readonly text: string;
  readonly session: Session;
  readonly signal: AbortSignal;
  readonly #link: ClientLink;
  readonly #servers: McpServers;
  readonly #calls: ToolCall[] = [];
  readonly #terminals = new Set<Terminal>();
  /** Aborts what waits for the client: with the turn's signal, and when the turn is over. */
  readonly #waits: AbortSignal;
  readonly #over = new AbortController();

  constructor({ blocks, session, signal, link, servers }: HostedTurnParts) {
    this.blocks = blocks;
    this.text = userText(blocks);
    this.session = session;
    this.signal = signal;
    this.#waits = AbortSignal.any([signal, this.#over.signal]);
    this.#link = link;
    this.#servers = servers;
  }

  say(what: string | ContentBlock): Promise<void> {
    return this.#chunk("agent_message_chunk", what);
  }

  think(what: string | ContentBlock): Promise<void> {
    return this.#chunk("agent_thought_chunk", what);
  }

  plan(entries: readonly (string | PlanEntry)[]): Promise<void> {
    return this.update({ sessionUpdate: "plan", entries: entries.map(entryOf) });
  }

  tool(tool: Tool): ToolCall {
    const call = new OpenToolCall(tool, (update) => this.#show(update));
    this.#calls.push(call);
    return call;
  }

  async ask(question: Question): Promise<string | null> {
    const chosen = await this.choose(question);
    return chosen === null || refuses(chosen) ? null : chosen.optionId;
  }

  async choose(question: Question): Promise<Option | null> {
    const { title, kind = "other", input, options = ALLOW_OR_REJECT, _meta } = question;
    const about = { title, kind, input, ...(_meta === undefined ? {} : { _meta }) };
    const call = question.call ?? this.tool(about);
    const { input: rawInput, ...shown } = about;
    const toolCall = { toolCallId: call.id, ...shown, status: "pending", rawInput };
    const { outcome } = await this.#answerTo({ toolCall, options });
    const isChoice = isFields(outcome) && outcome.outcome === "selected";
    const chosen = isChoice ? options.find(({ optionId }) => optionId === outcome.optionId) : undefined;
    if (!question.call) {
      if (chosen && !refuses(chosen)) call.done();
      else call.failed("It was refused.");
    }
    return chosen ?? null;
  }

  async readFile(path: string, part: { line?: number; limit?: number } = {}): Promise<string> {
    this.#need("readFile", "read files");
    const { content } = await this.#ask(ClientMethod.readTextFile, { path: this.#absolute(path), ...part });
    return typeof content === "string" ? content : "";
  }

  async writeFile(path: string, text: string): Promise<void> {
    this.#need("writeFile", "write files");
    await this.#ask(ClientMethod.writeTextFile, { path: this.#absolute(path), content: text });
  }

  async terminal(command: string, options: TerminalOptions = {}): Promise<Terminal> {
    this.#need("terminal", "run commands");
    const { args = [], env = {}, cwd, outputByteLimit } = options;
    const { terminalId } = await this.#ask(ClientMethod.createTerminal, {
      command,
      args,
      env: Object.entries(env).map(([name, value]) => ({ name, value })),
      cwd: this.#absolute(cwd ?? "."),
      ...(outputByteLimit === undefined ? {} : { outputByteLimit }),
    });
    if (typeof terminalId !== "string") throw new Error("The client started a terminal and did not name it.");
    const terminal = new ClientTerminal(terminalId, this.#link, this.#waits);
    this.#terminals.add(terminal);
    return terminal;
  }

  async mcpTools(): Promise<readonly McpTool[]> {
    const { tools, troubles } = await this.#servers.connected(this.signal);
    for (const { server, why } of troubles) {
      this.tool({ title: `MCP server ${server}` }).failed(`It cannot be used: ${why}`);
    }
    return tools;
  }

  update(update: SessionUpdate): Promise<void> {
    this.#show(update);
    return this.#link.room();
  }

  /** Nothing more goes out of this turn; what is open in the client is closed, what it was asked taken back. */
  end(): void {
    for (const call of this.#calls) if (!call.isOver) call.failed("The turn ended before this was done.");
    // Whether the client lets go of them makes no difference to the answer that goes out now.
    for (const terminal of this.#terminals) void terminal.release().catch(() => {});
    this.#over.abort(new TurnCancelled("end"));
  }

  #chunk(sessionUpdate: string, what: string | ContentBlock): Promise<void> {
    const content = typeof what === "string" ? { type: "text", text: what } : what;
    return what === "" ? Promise.resolve() : this.update({ sessionUpdate, content });
  }

  #show(update: Fields): void {
    if (!this.#over.signal.aborted) this.#link.update(update);
  }

  #ask(method: string, params: Fields): Promise<Fields> {
    return this.#link.ask(method, params, this.#waits);
  }

  /** A client that answers a question with an error has not said yes. */
  async #answerTo(question: Fields): Promise<Fields> {
    try {
      return await this.#ask(ClientMethod.requestPermission, question);
    } catch (error) {
      this.#waits.throwIfAborted();
      return { error };
    }
  }

  #need(ability: keyof ClientAbilities, what: string): void {
    if (this.session.client[ability]) return;
    throw hostFailure("no_client_capability", `The client cannot ${what} for the agent.`);
  }

  #absolute(path: string): string {
    return resolve(this.session.cwd, path);
  }
}

const refuses = ({ kind }: Option): boolean => kind.startsWith("reject");

function entryOf(entry: string | PlanEntry): Required<PlanEntry> {
  const {
    content,
    priority = "medium",
    status = "pending",
  } = typeof entry === "string" ? { content: entry } : entry;
  return { content, priority, status };
}
