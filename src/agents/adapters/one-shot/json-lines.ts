import type { Fields } from "../../../acp/checks.ts";
import { isToolKind } from "../../../acp/tool-kinds.ts";
import { failed } from "../failure.ts";
import { fieldsIn, listIn, numberOf, objectIn, strayLine, textOf, wordsOf } from "../native-line.ts";
import type { Step } from "../step.ts";
import { message, plan, textContent, thought, toolCall, toolCallUpdate, usage } from "../updates.ts";
import type { Ending, Output } from "./output.ts";

const STOP_REASONS: Readonly<Record<string, string>> = {
  completed: "end_turn",
  cancelled: "cancelled",
  refused: "refusal",
  max_turns: "max_turn_requests",
  max_tokens: "max_tokens",
};

const STATUSES = ["pending", "in_progress", "completed"] as const;
const PRIORITIES = ["high", "medium", "low"] as const;

/**
 * hall's own events, for scripts: one JSON object a line, by its `type`. Types that are not known are passed over,
 * so that a script may say more than this version understands; lines that are no JSON go to the log.
 */
export class JsonLines implements Output {
  ending: Ending | undefined;
  session: string | undefined;
  /** Something was said as text: what `run.finished` repeats of it is not said again. */
  #spoke = false;
  readonly #tools = new Set<string>();

  line(line: string): Step[] {
    const event = objectIn(line);
    if (!event) return [{ log: strayLine(line) }];
    switch (event.type) {
      case "message":
        this.#spoke = true;
        return [message(textOf(event, "text"))];
      case "thought":
        return [thought(textOf(event, "text"))];
      case "tool.call":
        return this.#call(event);
      case "tool.result":
        return this.#result(event);
      case "plan":
        return [plan(listIn(event, "entries").map(planEntry))];
      case "usage":
        return [usageOf(event)];
      case "session":
        this.session = wordsOf(event, "id") ?? this.session;
        return [];
      case "run.finished":
        return this.#finish(event);
      default:
        return [];
    }
  }

  #call(event: Fields): Step[] {
    const id = textOf(event, "id");
    const kind = textOf(event, "kind");
    const { input, locations } = event;
    const fields = {
      title: wordsOf(event, "title") ?? wordsOf(event, "name") ?? "Tool",
      name: wordsOf(event, "name"),
      kind: isToolKind(kind) ? kind : "other",
      status: "in_progress",
      rawInput: input,
      locations: Array.isArray(locations) ? locationsIn(event) : undefined,
    };
    const step = this.#tools.has(id) ? toolCallUpdate(id, fields) : toolCall(id, fields);
    this.#tools.add(id);
    return [step];
  }

  #result(event: Fields): Step[] {
    const id = textOf(event, "id");
    const text = wordsOf(event, "text");
    const first = this.#tools.has(id) ? [] : this.#call({ id, name: "Tool" });
    const update = toolCallUpdate(id, {
      status: event.status === "failed" ? "failed" : "completed",
      rawOutput: event.output,
      content: text === undefined ? undefined : [textContent(text)],
    });
    return [...first, update];
  }

  #finish(event: Fields): Step[] {
    const status = textOf(event, "status");
    const text = wordsOf(event, "text");
    const stopReason = Object.hasOwn(STOP_REASONS, status) ? STOP_REASONS[status] : undefined;
    if (stopReason !== undefined) this.ending = { stopReason };
    else {
      const why = wordsOf(event, "error") ?? wordsOf(fieldsIn(event, "error"), "message");
      this.ending = failed(why ?? "The command says that its run failed.", "run_failed", { status });
    }
    return text === undefined || this.#spoke ? [] : [message(text)];
  }
}

const planEntry = (entry: Fields) => ({
  content: textOf(entry, "content"),
  status: STATUSES.find((status) => status === entry.status) ?? "pending",
  priority: PRIORITIES.find((priority) => priority === entry.priority) ?? "medium",
});

/** ACP's locations: a path, and a line where there is one. */
function locationsIn(event: Fields): Fields[] {
  return listIn(event, "locations").flatMap(({ path, line }): Fields[] =>
    typeof path === "string" ? [{ path, ...(Number.isInteger(line) ? { line } : {}) }] : [],
  );
}

function usageOf(event: Fields): Step {
  const cost = fieldsIn(event, "cost");
  const priced = typeof cost.amount === "number" && typeof cost.currency === "string";
  return usage(
    numberOf(event, "used"),
    numberOf(event, "size"),
    priced ? { amount: cost.amount, currency: cost.currency } : undefined,
  );
}
