import { type ModelMessage, type StepResult, stepCountIs, streamText, type ToolSet } from "ai";
import { type Fields, isFields } from "../../../acp/checks.ts";
import type { AgentDefinition } from "../agent-definition.ts";
import { boundTurn } from "../bound-turn.ts";
import type { McpTool, Option, StopReason, ToolKind, Turn } from "../turn.ts";
import { History } from "./history.ts";
import { mcpToolSet } from "./mcp-tool-set.ts";
import { toModelParts } from "./model-parts.ts";
import { providerFailure } from "./provider-failure.ts";
import { type Approval, StreamUpdates } from "./stream-updates.ts";
import { jsonOutput } from "./tool-output.ts";

type AnyTool = ToolSet[string];
type StreamTextOptions = Parameters<typeof streamText>[0];

/** Anything of the AI SDK that streams: what `streamText` and an agent's `stream` answer. */
export interface Streamed {
  readonly fullStream: AsyncIterable<unknown>;
  /** Where it is, its messages are kept for the next turn. */
  readonly response?: PromiseLike<{ messages: readonly ModelMessage[] }>;
}

/** A turn, with what the model is to be told. */
export interface AiTurn extends Turn {
  /** The conversation so far, this prompt last. */
  readonly messages: ModelMessage[];
  /** The tools of the session's MCP servers. */
  readonly mcp: ToolSet;
  /** `update` by another name. */
  readonly sendUpdate: Turn["update"];
}

interface Common {
  name?: string;
  title?: string;
  version?: string;
  accepts?: AgentDefinition["accepts"];
  /** `false`: the client is shown nothing by itself; `onPart` hears all, and `turn.sendUpdate` is there. */
  defaultNotifications?: boolean;
  /** Hears each part of the stream, before it is shown. */
  onPart?: (part: Fields, turn: AiTurn) => void | Promise<void>;
  /** ACP's kinds of tools, by name: editors show a symbol for each. */
  kinds?: Readonly<Record<string, ToolKind>>;
  /** Tokens that the model can hold; with it, clients are shown how full it is. */
  contextWindow?: number;
  /** Which MCP tools a person must allow first. Without it, all that do not say that they change nothing. */
  mcpNeedsApproval?: (tool: McpTool) => boolean;
}

/** `streamText`'s own options; `system` and `tools` may hang on the turn. */
export interface ModelOptions
  extends Common,
    Omit<
      StreamTextOptions,
      "prompt" | "messages" | "abortSignal" | "system" | "tools" | "stopWhen" | "allowSystemInMessages"
    > {
  system?: string | ((turn: AiTurn) => string | Promise<string>);
  tools?: ToolSet | ((turn: AiTurn) => ToolSet | Promise<ToolSet>);
  /** When a model that goes on calling tools is stopped; without it, after 20 steps. */
  stopWhen?: StreamTextOptions["stopWhen"];
  stream?: undefined;
}

export interface StreamOptions extends Common {
  /** Answers a stream; called again when tools were allowed or refused. */
  stream: (turn: AiTurn) => Streamed | Promise<Streamed>;
}

export type AiAgentOptions = ModelOptions | StreamOptions;

const STEPS = 20;
/** Times that tools may be asked for in one turn. */
const ROUNDS = 100;

const OPTIONS: readonly Option[] = [
  { optionId: "allow", name: "Allow", kind: "allow_once" },
  { optionId: "allow_always", name: "Allow in this session", kind: "allow_always" },
  { optionId: "reject", name: "Reject", kind: "reject_once" },
];

/** An agent of a model and tools, by the AI SDK. */
export function aiAgent(options: AiAgentOptions): AgentDefinition {
  const { name = "ai", title, version, accepts } = options;
  return {
    name,
    ...(title === undefined ? {} : { title }),
    ...(version === undefined ? {} : { version }),
    ...(accepts === undefined ? {} : { accepts }),
    prompt: (turn) => play(turn, options),
  };
}

async function play(turn: Turn, options: AiAgentOptions): Promise<StopReason> {
  const { defaultNotifications: shows = true, kinds = {}, contextWindow } = options;
  const history = History.of(turn.session);
  const said: ModelMessage[] = [{ role: "user", content: toModelParts(turn.blocks) }];
  const updates = new StreamUpdates({ turn, shows, kinds, contextWindow });
  const mcp = mcpToolSet(
    await turn.mcpTools(),
    options.mcpNeedsApproval ?? (({ isReadOnly }) => !isReadOnly),
  );
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const messages = [...history.messages, ...said];
      await run(aiTurn(turn, messages, mcp), options, updates, said);
      const approvals = updates.takeApprovals();
      if (approvals.length === 0) return updates.stopReason(isLimited(options, updates.steps));
      said.push({ role: "tool", content: await decisionsOn(approvals, turn, history) });
    }
    return "max_turn_requests";
  } catch (error) {
    throw providerFailure(error);
  } finally {
    history.add(said);
  }
}

const aiTurn = (turn: Turn, messages: ModelMessage[], mcp: ToolSet): AiTurn => ({
  ...boundTurn(turn),
  sendUpdate: (update) => turn.update(update),
  messages,
  mcp,
});

/** One stream, to its end; what came of it is added to what was said, a step at a time. */
async function run(
  turn: AiTurn,
  options: AiAgentOptions,
  updates: StreamUpdates,
  said: ModelMessage[],
): Promise<void> {
  const before = [...said];
  let steps = 0;
  const heard = (messages: readonly ModelMessage[]): void => {
    steps += 1;
    said.splice(0, said.length, ...before, ...messages);
  };
  updates.begin();
  try {
    const streamed = options.stream
      ? await options.stream(turn)
      : await streamOf(turn, options, updates, heard);
    for await (const part of streamed.fullStream) {
      if (!isFields(part)) continue;
      await options.onPart?.(part, turn);
      await updates.tell(part);
    }
    turn.signal.throwIfAborted();
    if (options.stream && streamed.response) heard((await streamed.response).messages);
  } catch (error) {
    // The last step was read in part, and nobody else tells of it.
    const { unfinished } = updates;
    if (steps < updates.steps && unfinished !== "") said.push({ role: "assistant", content: unfinished });
    throw error;
  }
}

async function streamOf(
  turn: AiTurn,
  options: ModelOptions,
  updates: StreamUpdates,
  heard: (messages: readonly ModelMessage[]) => void,
): Promise<Streamed> {
  const {
    name,
    title,
    version,
    accepts,
    defaultNotifications,
    onPart,
    kinds,
    contextWindow,
    mcpNeedsApproval,
    ...rest
  } = options;
  const { system, tools, stopWhen = stepCountIs(STEPS), onStepFinish, onError, stream, ...own } = rest;
  const told = typeof system === "function" ? await system(turn) : system;
  const set = { ...turn.mcp, ...(typeof tools === "function" ? await tools(turn) : tools) };
  return streamText({
    ...own,
    ...(told === undefined ? {} : { system: told }),
    messages: turn.messages,
    tools: watched(set, (id, about) => updates.runs(id, about)),
    stopWhen,
    abortSignal: turn.signal,
    onStepFinish: async (step) => {
      heard(step.response.messages);
      await onStepFinish?.(step);
    },
    // An error is a part of the stream too, and becomes the prompt's answer there.
    onError: onError ?? (() => {}),
  });
}

/** Tools that say when they begin. */
const watched = (tools: ToolSet, runs: Runs): ToolSet =>
  Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, watchedTool(name, tool, runs)]));

type Runs = (toolCallId: string, about: Fields) => void;

function watchedTool(toolName: string, tool: AnyTool, runs: Runs): AnyTool {
  const { execute, title, toModelOutput } = tool;
  if (!execute) return tool;
  return {
    ...tool,
    execute: (input, about) => {
      runs(about.toolCallId, { toolName, title, input });
      const answer: unknown = execute(input, about);
      return toModelOutput ? answer : jsonOutput(toolName, answer);
    },
  };
}

async function decisionsOn(approvals: readonly Approval[], turn: Turn, history: History) {
  const decisions = [];
  for (const { approvalId, toolName, input, call } of approvals) {
    const approved =
      history.isAllowed(toolName) || (await isAllowed({ toolName, input, call }, turn, history));
    const reason = approved ? {} : { reason: "The person refused it." };
    decisions.push({ type: "tool-approval-response" as const, approvalId, approved, ...reason });
  }
  return decisions;
}

async function isAllowed(
  { toolName, input, call }: Omit<Approval, "approvalId">,
  turn: Turn,
  history: History,
): Promise<boolean> {
  const about = call === undefined ? {} : { call };
  const chosen = await turn.ask({ title: toolName, input, options: OPTIONS, ...about });
  if (chosen === "allow_always") history.allow(toolName);
  return chosen !== null;
}

/**
 * Whether it was a limit of steps that stopped a model which wanted to go on: a condition that as many empty steps
 * would fulfil too. (`hasToolCall` is none: there the turn is at its end.)
 */
function isLimited(options: AiAgentOptions, steps: number): boolean {
  if (options.stream || options.stopWhen === undefined) return true;
  const conditions = [options.stopWhen].flat();
  return conditions.some((condition) => {
    try {
      return condition({ steps: new Array<StepResult<ToolSet>>(steps) }) === true;
    } catch {
      return false;
    }
  });
}
