import type { Fields } from "../../../acp/checks.ts";
import { fieldsIn, listIn, textOf, wordsOf } from "../native-line.ts";
import type { Step } from "../step.ts";
import { message, note, textContent, thought, toolCall, toolCallUpdate, userMessage } from "../updates.ts";
import { blocksOf } from "./input.ts";
import { describeChanges } from "./patch.ts";

/** Of a command's output while it runs, the end that is shown: each update carries it whole. */
const LIVE_CHARACTERS = 4096;

/**
 * The items of a thread: what the model says, thinks and does. A text is told as it streams, and of the whole item
 * that follows only what was left out.
 */
export class Items {
  /** What was streamed of an item so far. */
  readonly #streamed = new Map<string, string>();
  /** Tool calls that the client knows and that are not over. */
  readonly #tools = new Set<string>();
  readonly #output = new Map<string, string>();

  said(itemId: string, delta: string): Step[] {
    this.#streamed.set(itemId, (this.#streamed.get(itemId) ?? "") + delta);
    return delta === "" ? [] : [message(delta)];
  }

  thought(itemId: string, delta: string): Step[] {
    this.#streamed.set(itemId, (this.#streamed.get(itemId) ?? "") + delta);
    return delta === "" ? [] : [thought(delta)];
  }

  /** A summary has several parts: a paragraph each. */
  thoughtPart(itemId: string): Step[] {
    return this.#streamed.has(itemId) ? this.thought(itemId, "\n\n") : [];
  }

  printed(itemId: string, delta: string): Step[] {
    if (!this.#tools.has(itemId)) return [];
    const output = ((this.#output.get(itemId) ?? "") + delta).slice(-LIVE_CHARACTERS);
    this.#output.set(itemId, output);
    return [toolCallUpdate(itemId, { content: [fenced(output)] })];
  }

  started(item: Fields): Step[] {
    const shown = toolOf(item);
    return shown ? this.#call(textOf(item, "id"), { ...shown, status: "in_progress" }) : [];
  }

  completed(item: Fields): Step[] {
    const id = textOf(item, "id");
    switch (item.type) {
      case "agentMessage":
        return this.#rest(id, textOf(item, "text")).map(message);
      case "reasoning":
        return this.#rest(id, reasoningOf(item)).map(thought);
      case "plan":
        return this.#rest(id, textOf(item, "text")).map(thought);
      case "contextCompaction":
        return [note("codex", { compacted: true })];
      default:
        return this.#toolDone(id, item);
    }
  }

  /** An item of a turn of before: the user's words are told, too. */
  remembered(item: Fields): Step[] {
    if (item.type === "userMessage") return blocksOf(listIn(item, "content")).map(userMessage);
    return this.completed(item);
  }

  /** Makes sure that the client knows the tool call that it is about to be asked about. */
  announce(id: string, fields: Fields): Step[] {
    return this.#tools.has(id) ? [] : this.#call(id, { ...fields, status: "pending" });
  }

  /** The turn is over: what was left open has no end of its own. */
  endTurn(): void {
    this.#streamed.clear();
    this.#output.clear();
    this.#tools.clear();
  }

  #rest(id: string, whole: string): string[] {
    const streamed = this.#streamed.get(id) ?? "";
    this.#streamed.delete(id);
    const rest = whole.startsWith(streamed) ? whole.slice(streamed.length) : "";
    return rest === "" ? [] : [rest];
  }

  #call(id: string, fields: Fields): Step[] {
    const known = this.#tools.has(id);
    this.#tools.add(id);
    return [known ? toolCallUpdate(id, fields) : toolCall(id, fields)];
  }

  #toolDone(id: string, item: Fields): Step[] {
    const shown = toolOf(item);
    if (!shown) return [];
    const steps = this.#call(id, { ...shown, ...resultOf(item), status: statusOf(item) });
    this.#tools.delete(id);
    this.#output.delete(id);
    return steps;
  }
}

/** How an item that is a tool call is shown; undefined: it is none that we know. */
function toolOf(item: Fields): Fields | undefined {
  switch (item.type) {
    case "commandExecution":
      return {
        kind: "execute",
        title: commandOf(item),
        rawInput: { command: item.command, cwd: item.cwd },
      };
    case "fileChange":
      return describeChanges(item);
    case "mcpToolCall":
      return {
        kind: "other",
        title: `${textOf(item, "server")}: ${textOf(item, "tool")}`,
        name: textOf(item, "tool"),
        rawInput: item.arguments,
      };
    case "dynamicToolCall":
      return {
        kind: "other",
        title: textOf(item, "tool"),
        name: textOf(item, "tool"),
        rawInput: item.arguments,
      };
    case "webSearch":
      return { kind: "search", title: `Search ${textOf(item, "query")}`, rawInput: { query: item.query } };
    case "imageView":
      return {
        kind: "read",
        title: `View ${textOf(item, "path")}`,
        locations: [{ path: textOf(item, "path") }],
      };
    case "collabAgentToolCall":
    case "subAgentActivity":
      return { kind: "think", title: wordsOf(item, "prompt") ?? wordsOf(item, "tool") ?? "Subagent" };
    default:
      return undefined;
  }
}

/** The command as the model wrote it, without the shell that runs it. */
export function commandOf(item: Fields): string {
  const [action] = listIn(item, "commandActions");
  return (action && wordsOf(action, "command")) ?? wordsOf(item, "command") ?? "Command";
}

function resultOf(item: Fields): Fields {
  if (item.type === "commandExecution") {
    const output = textOf(item, "aggregatedOutput");
    return {
      content: output === "" ? undefined : [fenced(output)],
      rawOutput: { output, exitCode: item.exitCode },
    };
  }
  if (item.type !== "mcpToolCall" && item.type !== "dynamicToolCall") return {};
  const parts = [...listIn(fieldsIn(item, "result"), "content"), ...listIn(item, "contentItems")];
  const text = parts.map((part) => textOf(part, "text")).join("");
  return {
    content: text === "" ? undefined : [textContent(text)],
    rawOutput: item.result ?? item.error ?? item.contentItems,
  };
}

/** ACP has no status for what was declined or cancelled: it failed. */
function statusOf({ status }: Fields): string {
  return status === undefined || status === "completed" ? "completed" : "failed";
}

function reasoningOf(item: Fields): string {
  const texts = (list: unknown): string[] =>
    Array.isArray(list) ? list.filter((part): part is string => typeof part === "string") : [];
  const summary = texts(item.summary);
  return (summary.length > 0 ? summary : texts(item.content)).join("\n\n");
}

const fenced = (text: string): Fields => textContent(`\`\`\`console\n${text.trimEnd()}\n\`\`\``);
