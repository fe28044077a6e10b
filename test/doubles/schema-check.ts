import { acpSchema, type Check, type Side } from "./acp-schema.ts";
import type { Message } from "./message.ts";

export type Direction = "hall->client" | "hall->agent";

export interface Violation {
  line: string;
  why: string;
}

/**
 * Holds every line that the hall writes on one connection against ACP's schema: requests and notifications
 * by their method, answers by the method of the request that they answer, which must be open, and once only.
 * It learns what is open from the lines of the other side, so it must be told those too.
 */
export class SchemaCheck {
  readonly violations: Violation[] = [];
  readonly #direction: Direction;
  /** Methods of the other side's open requests, by id; an id that is used twice is answered twice. */
  readonly #open = new Map<string, string[]>();
  readonly #exemptions: ((message: Message) => boolean)[] = [];

  constructor(direction: Direction) {
    this.#direction = direction;
  }

  /** A line that went to the hall. What is no message opens nothing. */
  sent(value: unknown): void {
    const { id, method } = asMessage(value) ?? {};
    if (id === undefined || typeof method !== "string") return;
    const key = JSON.stringify(id);
    this.#open.set(key, [...(this.#open.get(key) ?? []), method]);
  }

  /** Messages that may break the schema, because the hall passes them on as they are. */
  exempt(passes: (message: Message) => boolean): void {
    this.#exemptions.push(passes);
  }

  /** A line that the hall wrote. */
  checkLine(value: unknown, line: string = JSON.stringify(value)): void {
    const message = asMessage(value);
    if (!message) {
      this.violation(line, "is no JSON object");
      return;
    }
    // Before anything else, since an exempt answer closes its request too.
    const answered = message.method === undefined ? this.#close(message) : undefined;
    if (this.#exemptions.some((passes) => passes(message))) return;
    const why = this.#complaint(message, answered);
    if (why) this.violation(line, why);
  }

  violation(line: string, why: string): void {
    this.violations.push({ line: line.length > 2000 ? `${line.slice(0, 2000)}…` : line, why });
  }

  /** Throws when a line was wrong, and says which and why. */
  expectNoViolations(): void {
    if (this.violations.length === 0) return;
    const list = this.violations.map(({ line, why }) => `${why}\n  ${line}`).join("\n");
    throw new Error(`${this.violations.length} line(s) ${this.#direction} break the protocol:\n${list}`);
  }

  #complaint(message: Message, answered: string | undefined): string | undefined {
    if (message.jsonrpc !== "2.0") return 'has no "jsonrpc": "2.0"';
    if ("id" in message && !isId(message.id)) return "has an id that is no string, integer or null";
    if (message.method !== undefined) return this.#complainOfCall(message, message.method);
    return this.#complainOfAnswer(message, answered);
  }

  #complainOfCall({ id, params }: Message, method: unknown): string | undefined {
    if (typeof method !== "string") return "has a method that is no string";
    if (method.startsWith("_")) return undefined;
    const side = this.#direction === "hall->client" ? "client" : "agent";
    const ofKind = (of: Side): Check | undefined =>
      id === undefined ? acpSchema().notification(of, method) : acpSchema().request(of, method);
    const check = ofKind(side) ?? ofKind("protocol");
    const kind = id === undefined ? "notification" : "request";
    return check ? check(params) : `calls "${method}", which is no ${kind} to this side`;
  }

  #complainOfAnswer(message: Message, method: string | undefined): string | undefined {
    if (!("id" in message)) return "has neither method nor id";
    if ("result" in message === "error" in message) return "has not exactly one of result and error";
    if ("error" in message) {
      const complaint = acpSchema().error(message.error);
      if (complaint) return complaint;
      if (message.error?.message === "" || message.error?.message.includes("\n")) {
        return "has an error message that is no one sentence";
      }
      // A line that could not be read has no id to answer with.
      if (message.id === null) return undefined;
    }
    if (method === undefined) return `answers ${JSON.stringify(message.id)}, which is not open`;
    if ("error" in message || method.startsWith("_")) return undefined;
    const side = this.#direction === "hall->client" ? "agent" : "client";
    const check = acpSchema().response(side, method);
    return check
      ? check(message.result)
      : `answers "${method}", which this side does not have, with a result`;
  }

  /**
   * Takes the request that is answered off the open ones and says its method. Where an id is used twice, the
   * first request is the one that runs and the others are refused.
   */
  #close({ id, error }: Message): string | undefined {
    const key = JSON.stringify(id ?? null);
    const methods = this.#open.get(key) ?? [];
    const method = error ? methods.pop() : methods.shift();
    if (methods.length === 0) this.#open.delete(key);
    return method;
  }
}

const isId = (id: unknown): boolean => typeof id === "string" || id === null || Number.isSafeInteger(id);

function asMessage(value: unknown): Message | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
}
