import { type ModelMessage, modelMessageSchema } from "ai";
import { type Fields, isFields } from "../../../acp/checks.ts";
import type { Session } from "../session.ts";

/** Bytes of JSON that are kept; of a longer conversation the oldest turns are forgotten. */
const KEPT_BYTES = 8 * 2 ** 20;

/** What the model is told again: the messages of a session's turns, kept with it. */
export class History {
  readonly #session: Session;
  readonly #turns: ModelMessage[][];
  /** Tools that need no approval any more. */
  readonly #allowed: Set<string>;

  private constructor(session: Session, turns: ModelMessage[][], allowed: string[]) {
    this.#session = session;
    this.#turns = turns;
    this.#allowed = new Set(allowed);
  }

  static of(session: Session): History {
    const kept = session.recall();
    const { turns, allowed } = isFields(kept) ? kept : {};
    const texts = Array.isArray(allowed) ? allowed.filter((name) => typeof name === "string") : [];
    return new History(session, Array.isArray(turns) ? turns.map(messagesOf) : [], texts);
  }

  get messages(): ModelMessage[] {
    return this.#turns.flat();
  }

  /** A turn is over: what was said in it, whole or in part, is kept, as it can be told again. */
  add(turn: readonly ModelMessage[]): void {
    this.#turns.push(sound(withoutOpenCalls(turn)));
    const sizes = this.#turns.map((one) => JSON.stringify(one, bytesAsText).length);
    let total = sizes.reduce((sum, size) => sum + size, 0);
    while (total > KEPT_BYTES && this.#turns.length > 1) {
      this.#turns.shift();
      total -= sizes.shift() ?? 0;
    }
    this.#keep();
  }

  isAllowed(toolName: string): boolean {
    return this.#allowed.has(toolName);
  }

  allow(toolName: string): void {
    this.#allowed.add(toolName);
    this.#keep();
  }

  #keep(): void {
    const value = { turns: this.#turns, allowed: [...this.#allowed] };
    this.#session.remember(JSON.parse(JSON.stringify(value, bytesAsText)));
  }
}

/** What we wrote ourselves. */
const messagesOf = (turn: unknown): ModelMessage[] => (Array.isArray(turn) ? turn.filter(isMessage) : []);
const isMessage = (message: unknown): message is ModelMessage =>
  isFields(message) && typeof message.role === "string";

/**
 * What a module's own stream or tool put into a turn may be no message once it was kept, and the AI SDK would refuse
 * every later prompt of the session for it. Of such a turn the texts are left.
 */
function sound(turn: readonly ModelMessage[]): ModelMessage[] {
  const kept = keptForm(turn);
  if (Array.isArray(kept) && kept.every((message) => modelMessageSchema.safeParse(message).success))
    return messagesOf(kept);
  return turn.flatMap(({ role, content }): ModelMessage[] => {
    if (role !== "user" && role !== "assistant") return [];
    const parts: readonly object[] = typeof content === "string" ? [{ text: content }] : content;
    const texts = parts.flatMap((part) =>
      "text" in part && typeof part.text === "string" ? [part.text] : [],
    );
    return texts.length === 0 ? [] : [{ role, content: texts.join("") }];
  });
}

/** As it will be read again; undefined for what JSON cannot hold. */
function keptForm(turn: readonly ModelMessage[]): unknown {
  try {
    return JSON.parse(JSON.stringify(turn, bytesAsText));
  } catch {
    return undefined;
  }
}

/** The AI SDK takes base64 wherever it takes bytes. JSON would make an object of numbers of them, Buffer another one. */
function bytesAsText(this: unknown, key: string, value: unknown): unknown {
  const original = isFields(this) ? this[key] : value;
  return original instanceof Uint8Array ? Buffer.from(original).toString("base64") : value;
}

/**
 * A model is told of no tool call without what became of it: providers refuse that. A turn that was cut short leaves
 * such ones.
 */
function withoutOpenCalls(turn: readonly ModelMessage[]): ModelMessage[] {
  const parts = turn.flatMap(({ content }): Fields[] =>
    Array.isArray(content) ? content.map((part) => ({ ...part })) : [],
  );
  const ended = new Set(
    parts.filter(({ type }) => type === "tool-result").map(({ toolCallId }) => toolCallId),
  );
  const open = parts.filter(({ type, toolCallId }) => type === "tool-call" && !ended.has(toolCallId));
  if (open.length === 0) return [...turn];
  const content = open.map(({ toolCallId, toolName }) => ({
    type: "tool-result" as const,
    toolCallId: String(toolCallId),
    toolName: String(toolName),
    output: { type: "execution-denied" as const, reason: "The turn was ended before." },
  }));
  return [...turn, { role: "tool", content }];
}
