import { expect } from "vitest";
import { type Fields, isFields } from "../../../src/acp/checks.ts";
import type { AcpMessage } from "../../../src/agents/adapters/acp-message.ts";
import type { Adapter, AdapterSettings } from "../../../src/agents/adapters/adapter.ts";
import type { Opening } from "../../../src/agents/adapters/opening.ts";
import type { Step } from "../../../src/agents/adapters/step.ts";
import { acpSchema } from "../../doubles/acp-schema.ts";

export const SETTINGS: AdapterSettings = {
  command: undefined,
  args: [],
  output: "text",
  resumeArgs: undefined,
  preset: undefined,
  environment: { HOME: "/home/someone" },
};

export const OPENING: Opening = {
  how: "new",
  id: "11111111-2222-4333-8444-555555555555",
  cwd: "/work/project",
  additionalDirectories: [],
  mcpServers: [],
};

/** An adapter without any process: what it is told, and the steps that it answers with. */
export class Rehearsal<State> {
  readonly steps: Step[] = [];
  readonly state: State;
  readonly #adapter: Adapter<State>;
  #asked = 0;

  constructor(adapter: Adapter<State>, { settings = SETTINGS, opening = OPENING } = {}) {
    this.#adapter = adapter;
    this.state = adapter.init(settings, opening);
    this.#take(adapter.started?.(this.state) ?? []);
  }

  native(line: string | object): Step[] {
    const text = typeof line === "string" ? line : JSON.stringify(line);
    return this.#take(this.#adapter.fromNative(text, this.state));
  }

  /** A request of the client's; its id is answered, and its steps are among `steps`. */
  request(method: string, params: Fields = {}): number {
    this.#asked += 1;
    this.tell({ kind: "request", id: this.#asked, method, params });
    return this.#asked;
  }

  prompt(text = "go"): number {
    return this.request("session/prompt", { prompt: [{ type: "text", text }] });
  }

  tell(message: AcpMessage): Step[] {
    return this.#take(this.#adapter.fromAcp(message, this.state));
  }

  exited(code: number, stderr: string[] = []): Step[] {
    return this.#take(this.#adapter.exited?.({ code, signal: null, stderr }, this.state) ?? []);
  }

  /** All that was told to the client so far. */
  get updates(): Fields[] {
    return this.steps.flatMap((step) => ("update" in step ? [step.update] : []));
  }

  /** All that was written to the program so far. */
  get written(): Fields[] {
    return this.steps.flatMap((step) => ("write" in step ? [JSON.parse(step.write)] : []));
  }

  /** What was told, a few words each. */
  get story(): string[] {
    return this.steps.flatMap(words);
  }

  /** What a request was answered. */
  answerTo(id: number): Fields | undefined {
    const step = this.steps.find(
      (one) => ("reply" in one && one.reply === id) || ("fail" in one && one.fail === id),
    );
    if (!step) return undefined;
    return "reply" in step ? step.result : "fail" in step ? { error: step.error } : undefined;
  }

  #take(steps: Step[]): Step[] {
    for (const step of steps) if ("update" in step) expectValid(step.update);
    this.steps.push(...steps);
    return steps;
  }
}

function expectValid(update: Fields): void {
  const params = { sessionId: "s", update };
  if (!acpSchema().isParams("session/update", params))
    expect.fail(`No update of ACP's: ${JSON.stringify(update)}`);
}

function words(step: Step): string[] {
  if ("reply" in step) return [`answer: ${String(step.result.stopReason ?? "ok")}`];
  if ("fail" in step) return [`error: ${step.error.message}`];
  if ("ask" in step) return [`ask: ${step.permission.options.map(({ kind }) => kind).join(" ")}`];
  if ("withdraw" in step) return ["withdraw"];
  if (!("update" in step)) return [];
  const { sessionUpdate, content, title, status, toolCallId } = step.update;
  switch (sessionUpdate) {
    case "agent_message_chunk":
      return [`says: ${textOf(content)}`];
    case "agent_thought_chunk":
      return [`thinks: ${textOf(content)}`];
    case "user_message_chunk":
      return [`user: ${textOf(content)}`];
    case "tool_call":
      return [`tool: ${String(title)} (${String(status)})`];
    case "tool_call_update":
      return status === undefined ? [] : [`tool ${String(status)}`];
    case "session_info_update":
      return [];
    default:
      return [String(sessionUpdate ?? toolCallId)];
  }
}

const textOf = (content: unknown): string => (isFields(content) ? String(content.text) : "");

/** Neighbours of one kind as one: what a person would read. */
export function inSum(story: readonly string[]): string[] {
  const sum: string[] = [];
  for (const line of story) {
    const [, kind, text = ""] = /^(says: |thinks: )(.*)$/s.exec(line) ?? [];
    const last = sum.at(-1);
    if (kind && last?.startsWith(kind)) sum[sum.length - 1] = last + text;
    else sum.push(line);
  }
  return sum;
}
