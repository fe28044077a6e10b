import { type Fields, isFields } from "../acp/checks.ts";
import { kindOf } from "../acp/updates.ts";
import { callDiffs, changes, textsOf } from "./call-detail.ts";
import { type Paint, paint } from "./paint.ts";
import { printable } from "./printable.ts";
import type { ToolCall, ToolCalls } from "./tool-calls.ts";

/** A stream that a turn is shown on. */
export interface Screen {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const PLAN_MARKS: ReadonlyMap<string, string> = new Map([
  ["completed", "✓"],
  ["in_progress", "▸"],
]);
/** Lines of what a failed call said. */
const FAILURE_LINES = 10;

/** What was written last: what somebody says or thinks, which may go on, or whole lines. */
type Open = Said | "lines" | "nothing";
type Said = "user" | "text" | "thought";

export interface TurnViewParts {
  /** For what the agent says. */
  out: Screen;
  /** For all else. */
  aside: Screen;
  calls: ToolCalls;
  /** A call's change of files is shown line by line, not only counted, unless a question has shown it. */
  showsDiffs?: boolean;
}

/**
 * A turn as it happens. What the agent says goes to one stream, where a script may want it alone; what it thinks,
 * plans and does goes to the other.
 */
export class TurnView {
  readonly #out: Screen;
  readonly #aside: Screen;
  readonly #calls: ToolCalls;
  readonly #paint: Paint;
  readonly #showsDiffs: boolean;
  /** Calls that a person was asked about. */
  readonly #asked = new Set<string>();
  /** The status in which each tool call was shown last. */
  readonly #shown = new Map<string, string>();
  #open: Open = "nothing";
  /** Newlines at the end of what was written, two at most. */
  #newlines = 2;
  #message: unknown;
  #plan: readonly PlanEntry[] = [];

  constructor({ out, aside, calls, showsDiffs = false }: TurnViewParts) {
    this.#out = out;
    this.#aside = aside;
    this.#calls = calls;
    this.#showsDiffs = showsDiffs;
    this.#paint = paint(aside);
  }

  /** `turn`: whose prompt it is, where the update is a part of one. */
  see(update: Fields, turn?: string): void {
    switch (kindOf(update)) {
      case "user_message_chunk":
        this.#say("user", { ...update, messageId: turn });
        break;
      case "agent_message_chunk":
        this.#say("text", update);
        break;
      case "agent_thought_chunk":
        this.#say("thought", update);
        break;
      case "tool_call":
      case "tool_call_update": {
        const call = this.#calls.see(update);
        if (call) this.#showCall(call);
        break;
      }
      case "plan":
        this.#showPlan(planOf(update));
        break;
    }
  }

  /** Whole lines beside the turn's text. */
  note(...lines: string[]): void {
    this.hang("");
    if (this.#newlines === 0) this.#aside.write("\n");
    this.#aside.write(lines.map((line) => `${line}\n`).join(""));
    this.#newlines = 1;
  }

  /** A piece of a line beside the turn's text, which may go on. */
  hang(text: string): void {
    this.#become("lines");
    this.#aside.write(text);
    if (text !== "") this.#newlines = 0;
  }

  /** Nothing more is said: what stands there ends with its line. */
  end(): void {
    this.#become("nothing");
  }

  /** A question about this call stands there, with all that it is about to do. */
  asks({ id }: ToolCall): void {
    this.#asked.add(id);
  }

  /** Another turn begins: nothing of those before it is told any more. */
  begin(): void {
    this.end();
    this.#calls.forget();
    this.#shown.clear();
    this.#asked.clear();
    this.#plan = [];
    this.#message = undefined;
  }

  #say(open: Said, { content, messageId }: Fields): void {
    const text = isFields(content) ? blockText(content) : "";
    if (text === "") return;
    // Another message begins where nothing else separates it from the one before.
    if (this.#open === open && messageId !== this.#message) this.#become("lines");
    this.#message = messageId;
    const isNew = this.#open !== open;
    this.#become(open);
    if (open === "user") this.#aside.write(this.#prompt(text, isNew));
    else if (open === "text") this.#out.write(this.#out.isTTY ? printable(text) : text);
    else this.#aside.write(this.#paint.dim(printable(text)));
    this.#newlines = newlinesAtEnd(`${"\n".repeat(this.#newlines)}${text}`);
  }

  /** What a person said, marked, its other lines below the first. */
  #prompt(text: string, isNew: boolean): string {
    const lines = printable(text).split("\n").map(this.#paint.bold);
    return `${isNew ? this.#paint.bold("› ") : "\n  "}${lines.join("\n  ")}`;
  }

  /** What is of another kind begins on a line of its own, on a terminal with a blank one above it. */
  #become(open: Open): void {
    if (this.#open === open) return;
    const before = this.#open === "text" ? this.#out : this.#aside;
    if (this.#newlines === 0) {
      before.write("\n");
      this.#newlines = 1;
    }
    if (open !== "nothing") {
      if (this.#newlines === 1 && this.#aside.isTTY) this.#aside.write("\n");
      this.#newlines = 2;
    }
    this.#open = open;
  }

  /** Once when it begins, once when it ends: what comes in between says the same again, mostly. */
  #showCall(call: ToolCall): void {
    const { red, green, cyan, dim } = this.#paint;
    const before = this.#shown.get(call.id);
    const isOver = call.status === "completed" || call.status === "failed";
    const now = isOver ? call.status : "begun";
    if (before === now) return;
    this.#shown.set(call.id, now);
    const mark = now === "begun" ? cyan("▸") : now === "failed" ? red("✗") : green("✓");
    const title = printable(call.title).replaceAll("\n", " ");
    const kind = call.kind === "" || now !== "begun" ? "" : `  ${dim(call.kind)}`;
    const detail = now === "begun" ? [] : now === "failed" ? this.#failure(call) : this.#changes(call);
    this.note(`${mark} ${title}${kind}`, ...detail.map((line) => `    ${line}`));
  }

  #changes(call: ToolCall): string[] {
    if (this.#showsDiffs && !this.#asked.has(call.id)) return callDiffs(call, this.#paint);
    return changes(call).map(this.#paint.dim);
  }

  #failure(call: ToolCall): string[] {
    return lastLines(textsOf(call)).map(this.#paint.dim);
  }

  /** Whole when it is new; from then on what changed in it. */
  #showPlan(entries: readonly PlanEntry[]): void {
    const { bold, dim } = this.#paint;
    const known = this.#plan;
    const isNew = entries.length !== known.length || entries.some(({ text }, at) => text !== known[at]?.text);
    const shown = isNew ? entries : entries.filter(({ status }, at) => status !== known[at]?.status);
    this.#plan = entries;
    if (shown.length === 0) return;
    const lines = shown.map(({ text, status }) => {
      const line = `  ${PLAN_MARKS.get(status) ?? "·"} ${text}`;
      return status === "completed" ? dim(line) : line;
    });
    this.note(...(isNew ? [bold("Plan")] : []), ...lines);
  }
}

interface PlanEntry {
  text: string;
  status: string;
}

const planOf = ({ entries }: Fields): PlanEntry[] =>
  (Array.isArray(entries) ? entries : []).filter(isFields).map(({ content, status }) => ({
    text: printable(String(content)).replaceAll("\n", " "),
    status: String(status),
  }));

/** A content block as text; what is none is named. */
function blockText(block: Fields): string {
  if (block.type === "text") return String(block.text);
  if (block.type === "resource_link") return `[${String(block.name)}](${String(block.uri)})`;
  return `[${String(block.type)}]`;
}

const newlinesAtEnd = (text: string): number => (text.endsWith("\n\n") ? 2 : text.endsWith("\n") ? 1 : 0);

const lastLines = (texts: readonly string[]): string[] =>
  printable(texts.join("\n")).trimEnd().split("\n").filter(Boolean).slice(-FAILURE_LINES);
