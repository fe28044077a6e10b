import { randomBytes } from "node:crypto";
import { type Fields, metaOf, optionalString, resultOf } from "../acp/checks.ts";
import { HallKey } from "../acp/extensions.ts";
import { withMeta } from "../acp/meta.ts";
import { AgentMethod } from "../acp/methods.ts";
import { type Id, isId, type RequestMessage } from "../wire/message.ts";

/** What the hall's protocol calls it; no agent of today forks through a hall, which then says so. */
const FORK = "session/fork";

/** Sent again after a cut, these do what they did, or tell what they did: by a key, or by what they are. */
const REPEATABLE: ReadonlySet<string> = new Set([
  AgentMethod.initialize,
  AgentMethod.newSession,
  FORK,
  AgentMethod.loadSession,
  AgentMethod.resumeSession,
  AgentMethod.prompt,
  AgentMethod.listSessions,
  AgentMethod.closeSession,
  AgentMethod.deleteSession,
  AgentMethod.setMode,
  AgentMethod.setConfigOption,
]);

/** New sessions are asked for under a key. */
export const makesSession = (method: string): boolean => method === AgentMethod.newSession || method === FORK;

export const takesUpSession = (method: string): boolean =>
  method === AgentMethod.loadSession || method === AgentMethod.resumeSession;

export const leavesSession = (method: string): boolean =>
  method === AgentMethod.closeSession || method === AgentMethod.deleteSession;

/** A request of the editor's that has no answer yet. */
export class Ask {
  readonly id: Id;
  readonly method: string;
  readonly params: Fields;
  readonly sessionId: unknown;
  /** As it goes to the hall, under its key where it has one. */
  readonly line: Buffer;
  /** Of a prompt. */
  readonly turn: string | undefined;
  /** The hall may have it. */
  sent = false;
  /** The hall has read the session to us for it, from the start or from where it said. */
  placed = false;
  /** The hall was stopping when it came, and did nothing about it. */
  deferred = false;
  /** What the editor said about it since: that it, or all up to it, is to end. */
  readonly cancels: Buffer[] = [];

  constructor(parts: Pick<Ask, "id" | "method" | "params" | "sessionId" | "line" | "turn">) {
    this.id = parts.id;
    this.method = parts.method;
    this.params = parts.params;
    this.sessionId = parts.sessionId;
    this.line = parts.line;
    this.turn = parts.turn;
  }

  get repeatable(): boolean {
    return REPEATABLE.has(this.method);
  }
}

export const isAsk = (said: Ask | Buffer): said is Ask => said instanceof Ask;

/** The editor's request as it goes to the hall: under the key by which it can be asked again. */
export function askOf(
  { id, method, params }: RequestMessage,
  line: Buffer,
  introduction: { lineOf(line: Buffer): Buffer },
): Ask {
  const fields = resultOf(params);
  const parts = { id, method, params: fields, sessionId: fields.sessionId, turn: undefined };
  if (method === AgentMethod.initialize) return new Ask({ ...parts, line: introduction.lineOf(line) });
  if (makesSession(method)) return new Ask({ ...parts, line: keyed(line, fields, HallKey.key).line });
  if (method !== AgentMethod.prompt) return new Ask({ ...parts, line });
  const { line: keyedLine, key } = keyed(line, fields, HallKey.turn);
  return new Ask({ ...parts, line: keyedLine, turn: key });
}

/** The line under a key of its own, unless the editor gave it one. */
function keyed(line: Buffer, params: Fields, name: string): { line: Buffer; key: string } {
  const given = optionalString(metaOf(params), name);
  if (given !== undefined) return { line, key: given };
  const key = randomBytes(16).toString("hex");
  return { line: withMeta(line, name, key), key };
}

/** The editor's requests that have no answer yet, in the order in which they were asked. */
export class Asks {
  readonly #open = new Map<Id, Ask>();

  get all(): Ask[] {
    return [...this.#open.values()];
  }

  get(id: unknown): Ask | undefined {
    return isId(id) ? this.#open.get(id) : undefined;
  }

  add(ask: Ask): void {
    this.#open.set(ask.id, ask);
  }

  remove(ask: Ask): void {
    this.#open.delete(ask.id);
  }

  /** The last prompt of a session that has no answer. */
  lastPrompt(sessionId: unknown): Ask | undefined {
    return this.all.findLast((ask) => ask.turn !== undefined && ask.sessionId === sessionId);
  }

  /** Those that wait for a session to be read, which has begun. */
  beingRead(sessionId: string): Ask[] {
    return this.all.filter((ask) => ask.placed && ask.sessionId === sessionId && takesUpSession(ask.method));
  }

  /** All of them; from now on nothing is open. */
  takeAll(): Ask[] {
    const all = this.all;
    this.#open.clear();
    return all;
  }
}
