import type { Fields } from "../../../acp/checks.ts";
import { HallKey } from "../../../acp/extensions.ts";
import type { AgentDefinition } from "../agent-definition.ts";
import type { ContentBlock } from "../content-block.ts";
import type { Option, Question, Turn } from "../turn.ts";
import { userText } from "../user-text.ts";
import { type CompiledGraph, declares, type Interrupt } from "./compiled-graph.ts";
import { lastAssistantText } from "./messages.ts";

/** How a graph is made an agent; each has a default. */
export interface GraphHooks {
  name?: string;
  title?: string;
  version?: string;
  accepts?: AgentDefinition["accepts"];
  /** The channel that gets the prompt's text: `prompt`. Where the graph has none, but `messages`, a message is added there. */
  inputChannel?: string;
  /** The channel that the answer is in: `response`. */
  outputChannel?: string;
  /** Nodes whose models' tokens are shown as they come. */
  streamNodes?: string | readonly string[];
  /** More of the run's config: `recursionLimit`, `callbacks`, `configurable`. */
  config?: Fields | ((turn: Turn) => Fields);
  extractUserText?(blocks: readonly ContentBlock[]): string;
  /** The state for a prompt. */
  buildInitialState?(blocks: readonly ContentBlock[], sessionId: string): Fields | Promise<Fields>;
  /** The same, with what is known of the session. */
  buildSessionState?(blocks: readonly ContentBlock[], turn: Turn): Fields | Promise<Fields>;
  /** The answer, from the state and from what was written in this turn. */
  extractAgentText?(values: Fields, written: ReadonlyMap<string, unknown>): string;
  /** The question that an interrupt is put as, in the same turn; null: it is none that a choice could answer. */
  interruptPermission?(interrupt: Interrupt): (Question & { options: readonly Option[] }) | null;
  /** What the run goes on with. */
  interruptResumeValue?(interrupt: Interrupt, optionId: string): unknown;
}

export type AllHooks = Required<
  Pick<
    GraphHooks,
    | "buildSessionState"
    | "extractAgentText"
    | "interruptPermission"
    | "interruptResumeValue"
    | "extractUserText"
  >
>;

const APPROVE_OR_REJECT: readonly Option[] = [
  { optionId: "approve", name: "Approve", kind: "allow_once" },
  { optionId: "reject", name: "Reject", kind: "reject_once" },
];

/** A graph's hooks, with the defaults for those that it has not. */
export function withDefaults(graph: CompiledGraph, hooks: GraphHooks): AllHooks {
  const { inputChannel = "prompt", outputChannel = "response" } = hooks;
  const extractUserText = hooks.extractUserText ?? userText;

  const buildInitialState =
    hooks.buildInitialState ??
    ((blocks, sessionId) => {
      const text = extractUserText(blocks);
      const asMessage = declares(graph, inputChannel) === false && declares(graph, "messages") === true;
      const input = asMessage ? { messages: [{ role: "user", content: text }] } : { [inputChannel]: text };
      return { ...input, _acp_session_id: sessionId };
    });

  return {
    extractUserText,
    async buildSessionState(blocks, turn) {
      if (hooks.buildSessionState) return hooks.buildSessionState(blocks, turn);
      const state = await buildInitialState(blocks, turn.session.id);
      const { cwd, additionalDirectories } = turn.session;
      const known = {
        _acp_cwd: cwd,
        _acp_additional_directories: additionalDirectories,
        // Servers are started for graphs that want their tools, and for no others.
        ...(declares(graph, "_acp_mcp_tools") === false ? {} : { _acp_mcp_tools: await turn.mcpTools() }),
      };
      const all = Object.entries({ ...known, ...state });
      return Object.fromEntries(all.filter(([channel]) => declares(graph, channel) !== false));
    },
    extractAgentText(values, written) {
      if (hooks.extractAgentText) return hooks.extractAgentText(values, written);
      // What is still there of an earlier turn is no answer to this one.
      if (written.has(outputChannel)) return asText(values[outputChannel] ?? written.get(outputChannel));
      return written.has("messages") ? lastAssistantText(values.messages ?? written.get("messages")) : "";
    },
    interruptPermission(interrupt) {
      if (hooks.interruptPermission) return hooks.interruptPermission(interrupt);
      const { id, node, value } = interrupt;
      const _meta = { [HallKey.interrupt]: { id, node, value } };
      return { title: reasonOf(value), kind: "other", input: value, options: APPROVE_OR_REJECT, _meta };
    },
    interruptResumeValue: (interrupt, optionId) =>
      hooks.interruptResumeValue?.(interrupt, optionId) ?? optionId,
  };
}

/** Why an interrupt asks, in its own words. */
export function reasonOf(value: unknown): string {
  if (typeof value === "string") return value;
  const { reason, question, message } = typeof value === "object" && value !== null ? { ...value } : Object();
  const said = [reason, question, message].find((one) => typeof one === "string");
  return typeof said === "string" ? said : "The graph waits for an answer.";
}

const asText = (value: unknown): string =>
  typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value);
