import { type Fields, isFields } from "../../../acp/checks.ts";
import { fieldsIn, listIn, numberOf, textOf, wordsOf } from "../native-line.ts";
import type { Step } from "../step.ts";
import {
  message,
  note,
  plan,
  textContent,
  thought,
  toolCall,
  toolCallUpdate,
  userMessage,
} from "../updates.ts";
import { describeTool, todos } from "./tool-call.ts";

/** Blocks that call a tool, and those that tell what came of it, also where the provider runs it. */
const TOOL_USES = new Set(["tool_use", "server_tool_use", "mcp_tool_use"]);
const isToolResult = (type: unknown): boolean => typeof type === "string" && type.endsWith("tool_result");

/** A message that Claude Code makes itself, in the model's place. */
const SYNTHETIC = "<synthetic>";

/**
 * What the model says and does, from the lines of Claude Code's stream-json. Each text is told once: the deltas as
 * they stream, and of the whole block that follows only what they left out.
 */
export class ClaudeStream {
  readonly #cwd: string | undefined;
  /** Of the block that streams. */
  #streamedText = "";
  #streamedThought = "";
  /** Tool calls that the client knows, by id; with their names. */
  readonly #tools = new Map<string, string>();
  /** Texts that may turn out to be an error's: the result tells. */
  #synthetic: string[] = [];
  /** Something was said in this turn. */
  spoke = false;
  /** Tokens in the context, as the model's last own message says. */
  contextTokens = 0;

  constructor(cwd?: string) {
    this.#cwd = cwd;
  }

  event(event: Fields): Step[] {
    switch (event.type) {
      case "stream_event":
        return event.parent_tool_use_id ? [] : this.#streamed(fieldsIn(event, "event"));
      case "assistant":
        return this.#assistant(event);
      case "user":
        return event.isReplay === true ? [] : this.#results(event);
      case "tool_progress":
        return [toolCallUpdate(textOf(event, "tool_use_id"), { status: "in_progress" })];
      case "system":
        return this.#system(event);
      default:
        return [];
    }
  }

  /** A line of a session as it lies on disk: the user's words are told, too. */
  remembered(line: Fields): Step[] {
    if (line.isSidechain === true || line.isMeta === true || line.isCompactSummary === true) return [];
    if (line.type === "assistant") return this.#assistant(line);
    if (line.type !== "user") return [];
    const { content } = fieldsIn(line, "message");
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
    const said = (Array.isArray(blocks) ? blocks.filter(isFields) : []).filter(isUsers);
    return [...said.map((block) => userMessage(asAcp(block))), ...this.#results(line)];
  }

  /** The turn is over. `failed`: what stands for the model is the error's text, and is not told. */
  endTurn(failed: boolean): Step[] {
    const held = failed ? [] : this.#synthetic;
    this.#synthetic = [];
    this.spoke = false;
    return held.map(message);
  }

  /** Makes sure that the client knows a tool call before it is asked about it. */
  announce(id: string, name: string, input: Fields): Step[] {
    if (this.#tools.has(id)) return [];
    this.#tools.set(id, name);
    return [
      toolCall(id, { ...describeTool(name, input, this.#cwd), name, rawInput: input, status: "pending" }),
    ];
  }

  #streamed(event: Fields): Step[] {
    if (event.type === "content_block_delta") {
      const delta = fieldsIn(event, "delta");
      if (delta.type === "text_delta") return this.#say(textOf(delta, "text"));
      if (delta.type === "thinking_delta") return this.#think(textOf(delta, "thinking"));
      return [];
    }
    if (event.type !== "content_block_start") return [];
    this.#streamedText = "";
    this.#streamedThought = "";
    const block = fieldsIn(event, "content_block");
    if (!TOOL_USES.has(textOf(block, "type"))) return [];
    return this.announce(textOf(block, "id"), textOf(block, "name"), fieldsIn(block, "input"));
  }

  #say(text: string): Step[] {
    if (text === "") return [];
    this.#streamedText += text;
    this.spoke = true;
    return [message(text)];
  }

  #think(text: string): Step[] {
    if (text === "") return [];
    this.#streamedThought += text;
    return [thought(text)];
  }

  /** One content block, in a message of its own; blocks of one answer share its id. */
  #assistant(event: Fields): Step[] {
    const said = fieldsIn(event, "message");
    const parent = wordsOf(event, "parent_tool_use_id");
    if (parent === undefined && said.model !== SYNTHETIC) this.#countTokens(fieldsIn(said, "usage"));
    return listIn(said, "content").flatMap((block) => this.#block(block, said.model === SYNTHETIC, parent));
  }

  #block(block: Fields, synthetic: boolean, parent: string | undefined): Step[] {
    const type = textOf(block, "type");
    if (TOOL_USES.has(type)) return this.#toolUse(block, parent);
    if (isToolResult(type)) return this.#result(block, undefined);
    // What a subagent says reaches the client as the result of its tool call.
    if (parent !== undefined) return [];
    if (type === "text") {
      const text = textOf(block, "text");
      if (synthetic) this.#synthetic.push(text);
      const left = synthetic ? "" : remainder(text, this.#streamedText);
      this.#streamedText = "";
      if (left !== "") this.spoke = true;
      return left === "" ? [] : [message(left)];
    }
    if (type !== "thinking") return [];
    const left = remainder(textOf(block, "thinking"), this.#streamedThought);
    this.#streamedThought = "";
    return left === "" ? [] : [thought(left)];
  }

  #toolUse(block: Fields, parent: string | undefined): Step[] {
    const id = textOf(block, "id");
    const name = textOf(block, "name");
    const input = fieldsIn(block, "input");
    const known = this.#tools.has(id);
    this.#tools.set(id, name);
    const fields = {
      ...describeTool(name, input, this.#cwd),
      name,
      rawInput: input,
      ...(parent === undefined ? {} : { _meta: { claudeCode: { parentToolUseId: parent } } }),
    };
    const steps = known ? [toolCallUpdate(id, fields)] : [toolCall(id, { ...fields, status: "pending" })];
    return name === "TodoWrite" ? [...steps, plan(todos(input))] : steps;
  }

  #results(event: Fields): Step[] {
    return listIn(fieldsIn(event, "message"), "content")
      .filter((block) => isToolResult(block.type))
      .flatMap((block) => this.#result(block, event.tool_use_result ?? event.toolUseResult));
  }

  #result(block: Fields, native: unknown): Step[] {
    const id = textOf(block, "tool_use_id");
    const name = this.#tools.get(id);
    if (name === undefined) return [];
    const failed = block.is_error === true;
    const text = textIn(block.content);
    // Of an edit the diff says more than "The file was updated".
    const keepsContent =
      !failed && (name === "Write" || name === "Edit" || name === "MultiEdit" || name === "ExitPlanMode");
    const shown = name === "Bash" ? fenced(text) : text;
    const content = [...(text === "" ? [] : [textContent(shown)]), ...imagesIn(block.content)];
    return [
      toolCallUpdate(id, {
        status: failed ? "failed" : "completed",
        content: keepsContent || content.length === 0 ? undefined : content,
        rawOutput: isFields(native) ? native : text,
      }),
    ];
  }

  #system(event: Fields): Step[] {
    switch (event.subtype) {
      case "api_retry":
        return [
          note("claudeCode", {
            retry: {
              attempt: event.attempt,
              of: event.max_retries,
              delayMs: event.retry_delay_ms,
              status: event.error_status,
            },
          }),
        ];
      case "compact_boundary":
        return [note("claudeCode", { compacted: true })];
      case "local_command_output":
        return this.#say(textOf(event, "content"));
      default:
        return [];
    }
  }

  #countTokens(usage: Fields): void {
    const parts = ["input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"];
    this.contextTokens = parts.reduce((sum, part) => sum + numberOf(usage, part), 0);
  }
}

/** Of a whole text, what was not streamed. */
function remainder(whole: string, streamed: string): string {
  if (streamed === "") return whole;
  return whole.startsWith(streamed) ? whole.slice(streamed.length) : "";
}

/** Written by a person, not by the program in a person's name. */
function isUsers(block: Fields): boolean {
  if (block.type === "image") return true;
  if (block.type !== "text") return false;
  const text = textOf(block, "text").trimStart();
  return text !== "" && !/^<[a-z][\w-]*>/.test(text) && !text.startsWith("[Request interrupted by user");
}

function asAcp(block: Fields): Fields {
  if (block.type !== "image") return { type: "text", text: textOf(block, "text") };
  const source = fieldsIn(block, "source");
  return { type: "image", data: textOf(source, "data"), mimeType: textOf(source, "media_type") };
}

function textIn(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .filter(isFields)
    .map((part) => textOf(part, "text"))
    .join("");
}

const imagesIn = (content: unknown): Fields[] =>
  (Array.isArray(content) ? content.filter(isFields) : [])
    .filter((part) => part.type === "image" && fieldsIn(part, "source").type === "base64")
    .map((part) => ({ type: "content", content: asAcp(part) }));

const fenced = (text: string): string => `\`\`\`console\n${text.trimEnd()}\n\`\`\``;
