import { type Fields, isFields } from "../../../acp/checks.ts";
import { messageOf } from "../../../ground/thrown.ts";
import { UpdateTooLong } from "../client-link.ts";
import type { StopReason, ToolCall, ToolKind, Turn } from "../turn.ts";
import { toContentBlocks } from "./content-blocks.ts";
import { shownOutput } from "./tool-output.ts";

/** A tool call that a person must allow first. */
export interface Approval {
  approvalId: string;
  toolName: string;
  input: unknown;
  call: ToolCall | undefined;
}

export interface StreamUpdatesParts {
  turn: Turn;
  /** Whether what the stream tells is shown to the client. */
  shows: boolean;
  kinds: Readonly<Record<string, ToolKind>>;
  /** Tokens that the model can hold; undefined: unknown, and how full it is is not told. */
  contextWindow: number | undefined;
}

/** What a stream of the AI SDK (`fullStream`) tells, as ACP's updates. */
export class StreamUpdates {
  readonly #parts: StreamUpdatesParts;
  readonly #calls = new Map<string, ToolCall>();
  /** Calls whose input was told. */
  readonly #inputs = new Set<string>();
  /** Calls whose tool has neither answered nor failed. */
  readonly #unanswered = new Set<string>();
  #approvals: Approval[] = [];
  #finishReason: unknown;
  #isAborted = false;
  #steps = 0;
  /** What was said in the step that was begun last. */
  #unfinished = "";

  constructor(parts: StreamUpdatesParts) {
    this.#parts = parts;
  }

  /** Another stream of the same turn begins. */
  begin(): void {
    this.#steps = 0;
    this.#unfinished = "";
  }

  /** How many steps this stream has begun. */
  get steps(): number {
    return Math.max(1, this.#steps);
  }

  /** The text of the step that was begun last. */
  get unfinished(): string {
    return this.#unfinished;
  }

  /** The approvals that were asked for since this was called last. */
  takeApprovals(): Approval[] {
    const approvals = this.#approvals;
    this.#approvals = [];
    return approvals;
  }

  /** Tells one part. Throws what the stream reports as an error; resolves when there is room for more. */
  async tell(part: Fields): Promise<void> {
    const { turn, shows } = this.#parts;
    switch (part.type) {
      case "text-delta":
        this.#unfinished += String(part.text);
        if (shows) await turn.say(String(part.text));
        break;
      case "reasoning-delta":
        if (shows) await turn.think(String(part.text));
        break;
      case "file":
      case "source":
        if (shows) for (const block of toContentBlocks([part])) await turn.say(block);
        break;
      case "start-step":
        this.#steps += 1;
        this.#unfinished = "";
        break;
      case "finish-step":
        if (shows) await this.#usage(part.usage);
        break;
      case "finish":
        this.#finishReason = part.finishReason;
        break;
      case "abort":
        this.#isAborted = true;
        break;
      case "error":
        throw part.error;
      default:
        this.#tool(part);
    }
  }

  /** The tool has begun, perhaps before its call was read: what it sends itself comes after that was shown. */
  runs(toolCallId: string, about: Fields): void {
    this.#call(toolCallId, about, about.input)?.runs();
  }

  /** @param limited whether a model that wanted to go on was stopped by a limit of steps */
  stopReason(limited: boolean): StopReason {
    if (this.#isAborted) return "cancelled";
    switch (this.#finishReason) {
      case "length":
        return "max_tokens";
      case "content-filter":
        return "refusal";
      case "tool-calls":
        // A call that nobody answers is one of a tool that has no `execute`: the turn is at its end.
        return limited && this.#unanswered.size === 0 ? "max_turn_requests" : "end_turn";
      case "error":
        throw new Error("The model ended with an error, and did not say which.");
      default:
        return "end_turn";
    }
  }

  #tool(part: Fields): void {
    if (part.type === "tool-result" || part.type === "tool-error")
      this.#unanswered.delete(String(part.toolCallId));
    switch (part.type) {
      case "tool-input-start":
        this.#call(String(part.id), part);
        break;
      case "tool-call":
        this.#called(part);
        break;
      case "tool-result":
        this.#result(part);
        break;
      case "tool-error":
        this.#call(String(part.toolCallId), part)?.failed(messageOf(part.error));
        break;
      case "tool-output-denied":
        this.#call(String(part.toolCallId), part)?.failed("It was refused.");
        break;
      case "tool-approval-request":
        this.#approval(part);
        break;
    }
  }

  /** The call of this id, shown when it is first heard of. */
  #call(id: string, { toolName, title }: Fields, input?: unknown): ToolCall | undefined {
    const { turn, shows, kinds } = this.#parts;
    if (!shows) return undefined;
    const known = this.#calls.get(id);
    const isNews = input !== undefined && !this.#inputs.has(id);
    if (isNews) this.#inputs.add(id);
    if (known) {
      if (isNews) known.update({ rawInput: input });
      return known;
    }
    const name = String(toolName);
    const kind = kinds[name];
    const call = turn.tool({
      id,
      title: typeof title === "string" ? title : name,
      ...(kind === undefined ? {} : { kind }),
      ...(input === undefined ? {} : { input }),
    });
    this.#calls.set(id, call);
    return call;
  }

  #called(part: Fields): void {
    const id = String(part.toolCallId);
    this.#unanswered.add(id);
    this.#call(id, part, part.input);
  }

  #result(part: Fields): void {
    const call = this.#call(String(part.toolCallId), part, part.input);
    const status = part.preliminary === true ? "in_progress" : "completed";
    const output = shownOutput(part.output);
    try {
      call?.update({ status, rawOutput: output, ...contentOf(output) });
    } catch (error) {
      if (!(error instanceof UpdateTooLong)) throw error;
      // The model has it all the same.
      const text = `The output is too long to be shown: ${error.bytes} bytes.`;
      call?.update({ status, content: [contentItem({ type: "text", text })] });
    }
  }

  #approval({ approvalId, toolCall }: Fields): void {
    const { toolCallId, toolName, input } = isFields(toolCall) ? toolCall : {};
    this.#approvals.push({
      approvalId: String(approvalId),
      toolName: String(toolName),
      input,
      call: this.#calls.get(String(toolCallId)),
    });
  }

  /** What the model held after its last step is what it was given and what it said to that. */
  #usage(usage: unknown): Promise<void> {
    const { turn, contextWindow: size } = this.#parts;
    const { inputTokens, outputTokens } = isFields(usage) ? usage : {};
    if (size === undefined || typeof inputTokens !== "number") return Promise.resolve();
    const used = inputTokens + (typeof outputTokens === "number" ? outputTokens : 0);
    return turn.update({ sessionUpdate: "usage_update", used, size });
  }
}

/** What a tool answered, where a person can read it: a text, or the content of an MCP tool. */
function contentOf(output: unknown): Fields {
  if (typeof output === "string") return { content: [contentItem({ type: "text", text: output })] };
  if (!isFields(output) || !Array.isArray(output.content)) return {};
  const blocks = output.content.filter(isFields).filter(({ type }) => typeof type === "string");
  return { content: blocks.map(contentItem) };
}

const contentItem = (content: Fields): Fields => ({ type: "content", content });
