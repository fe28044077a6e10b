import type { Fields } from "../../../acp/checks.ts";
import { failed } from "../failure.ts";
import { fieldsIn, listIn, numberOf, objectIn, strayLine, textOf, wordsOf } from "../native-line.ts";
import type { Step } from "../step.ts";
import { message, note, plan, textContent, thought, toolCall, toolCallUpdate } from "../updates.ts";
import type { Ending, Output } from "./output.ts";

/** The events of `codex exec --json`. It streams no text: a message comes whole. */
export class CodexExec implements Output {
  ending: Ending | undefined;
  session: string | undefined;
  readonly #run: number;
  readonly #tools = new Set<string>();

  /** @param run the number of the run in its session: item ids begin anew in each, and the client knows the old ones */
  constructor(run: number) {
    this.#run = run;
  }

  line(line: string): Step[] {
    const event = objectIn(line);
    if (!event) return [{ log: strayLine(line) }];
    switch (event.type) {
      case "thread.started":
        this.session = wordsOf(event, "thread_id");
        return [];
      case "item.started":
      case "item.updated":
        return this.#item(fieldsIn(event, "item"), false);
      case "item.completed":
        return this.#item(fieldsIn(event, "item"), true);
      case "turn.completed":
        this.ending = { stopReason: "end_turn", ...usageOf(fieldsIn(event, "usage")) };
        return [];
      case "turn.failed":
        this.ending = failed(
          textOf(fieldsIn(event, "error"), "message") || "The turn failed.",
          "provider_error",
        );
        return [];
      case "error":
        // One of several attempts, or the cause of a `turn.failed` that follows.
        return [note("codex", { error: textOf(event, "message") })];
      default:
        return [];
    }
  }

  #item(item: Fields, done: boolean): Step[] {
    switch (item.type) {
      case "agent_message":
        return done ? [message(textOf(item, "text"))] : [];
      case "reasoning":
        return done ? [thought(textOf(item, "text"))] : [];
      case "command_execution":
        return this.#tool(item, done, {
          kind: "execute",
          title: textOf(item, "command"),
          rawInput: { command: item.command },
          content: done ? [textContent(textOf(item, "aggregated_output"))] : undefined,
          rawOutput: done ? { output: item.aggregated_output, exitCode: item.exit_code } : undefined,
        });
      case "file_change": {
        const paths = listIn(item, "changes").map((change) => textOf(change, "path"));
        return this.#tool(item, done, {
          kind: "edit",
          title: `Edit ${paths.join(", ")}`,
          rawInput: { changes: item.changes },
          locations: paths.map((path) => ({ path })),
        });
      }
      case "mcp_tool_call":
        return this.#tool(item, done, {
          kind: "other",
          title: `${textOf(item, "server")}: ${textOf(item, "tool")}`,
          rawInput: item.arguments,
          rawOutput: done ? (item.result ?? item.error) : undefined,
        });
      case "web_search":
        return this.#tool(item, done, {
          kind: "search",
          title: textOf(item, "query"),
          rawInput: { query: item.query },
        });
      case "todo_list":
        return [plan(listIn(item, "items").map(planEntry))];
      case "error":
        // A warning: the turn goes on.
        return [note("codex", { warning: textOf(item, "message") })];
      default:
        return [];
    }
  }

  #tool(item: Fields, done: boolean, fields: Fields): Step[] {
    const id = textOf(item, "id");
    const toolCallId = `${this.#run}-${id}`;
    const known = this.#tools.has(id);
    this.#tools.add(id);
    const status = done ? (item.status === "completed" ? "completed" : "failed") : "in_progress";
    return [
      known ? toolCallUpdate(toolCallId, { ...fields, status }) : toolCall(toolCallId, { ...fields, status }),
    ];
  }
}

const planEntry = (item: Fields) => ({
  content: textOf(item, "text"),
  status: item.completed === true ? ("completed" as const) : ("pending" as const),
  priority: "medium" as const,
});

function usageOf(usage: Fields): Fields {
  const inputTokens = numberOf(usage, "input_tokens");
  const outputTokens = numberOf(usage, "output_tokens");
  return { usage: { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens } };
}
