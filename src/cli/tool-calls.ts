import { type Fields, isFields } from "../acp/checks.ts";

/** A tool call as it stands after all that was said of it. */
export interface ToolCall {
  readonly id: string;
  title: string;
  /** ACP's tool kind; an empty string: nobody said. */
  kind: string;
  /** ACP's: pending, in_progress, completed, failed; an empty string: nobody said. */
  status: string;
  content: readonly Fields[];
  rawInput: unknown;
  /** Absolute paths that it touches. */
  locations: readonly string[];
}

/** The tool calls of a turn. Each update has only what changed, and a question may be the first to name one. */
export class ToolCalls {
  readonly #calls = new Map<string, ToolCall>();

  /** The call that these fields are about, with them put in. Undefined: they name none. */
  see(fields: Fields): ToolCall | undefined {
    const { toolCallId: id, title, kind, status, content, rawInput, locations } = fields;
    if (typeof id !== "string") return undefined;
    const call = this.#calls.get(id) ?? blank(id);
    this.#calls.set(id, call);
    if (typeof title === "string") call.title = title;
    if (typeof kind === "string") call.kind = kind;
    if (typeof status === "string") call.status = status;
    if (Array.isArray(content)) call.content = content.filter(isFields);
    if (rawInput !== undefined && rawInput !== null) call.rawInput = rawInput;
    if (Array.isArray(locations)) call.locations = pathsOf(locations);
    return call;
  }

  /** They are over: what comes from now on is about others. */
  forget(): void {
    this.#calls.clear();
  }
}

const blank = (id: string): ToolCall => ({
  id,
  title: id,
  kind: "",
  status: "",
  content: [],
  rawInput: undefined,
  locations: [],
});

const pathsOf = (locations: readonly unknown[]): string[] =>
  locations.flatMap((location) =>
    isFields(location) && typeof location.path === "string" ? [location.path] : [],
  );
