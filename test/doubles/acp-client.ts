import { tmpdir } from "node:os";
import type {
  ContentBlock,
  InitializeResponse,
  ListSessionsResponse,
  LoadSessionResponse,
  NewSessionResponse,
  PromptResponse,
  RequestPermissionRequest,
  ResumeSessionResponse,
  SessionNotification,
} from "@agentclientprotocol/sdk";
import type { Transport } from "../../src/wire/transport.ts";
import { acpSchema, type ResultOf } from "./acp-schema.ts";
import { LineClient } from "./line-client.ts";
import type { Message } from "./message.ts";
import type { Step } from "./scripted-agent/script.ts";
import type { JsonObject } from "./scripted-agent/ways.ts";

/** A permission question as this client got it; it can be answered once, well or badly. */
export interface Question {
  id: unknown;
  params: RequestPermissionRequest;
  select(optionId: string): void;
  cancel(): void;
  /** Any result, also a wrong one. */
  answer(result: unknown): void;
  fail(code: number, message: string): void;
}

/** What one agent process read and wrote, line by line. */
export interface Seen {
  received: Message[];
  sent: Message[];
}

/** A client that speaks ACP: `LineClient` with the protocol's own verbs. */
export class AcpClient extends LineClient {
  /** The `cwd` of sessions that name none. */
  readonly cwd: string;
  #questionsTaken = 0;

  constructor(transport: Transport, cwd = tmpdir()) {
    super(transport);
    this.cwd = cwd;
  }

  initialize(params: JsonObject = {}): Promise<InitializeResponse> {
    return this.#ask("initialize", {
      protocolVersion: 1,
      clientCapabilities: {},
      clientInfo: { name: "test", version: "1" },
      ...params,
    });
  }

  newSession(params: JsonObject = {}): Promise<NewSessionResponse> {
    return this.#ask("session/new", { cwd: this.cwd, mcpServers: [], ...params });
  }

  /** Initializes, makes a session and answers its id: how most conversations begin. */
  async begin(params: JsonObject = {}): Promise<string> {
    await this.initialize();
    return (await this.newSession(params)).sessionId;
  }

  load(sessionId: string, params: JsonObject = {}): Promise<LoadSessionResponse> {
    return this.#ask("session/load", { sessionId, cwd: this.cwd, mcpServers: [], ...params });
  }

  resume(sessionId: string, params: JsonObject = {}): Promise<ResumeSessionResponse> {
    return this.#ask("session/resume", { sessionId, cwd: this.cwd, ...params });
  }

  list(params: JsonObject = {}): Promise<ListSessionsResponse> {
    return this.#ask("session/list", params);
  }

  /** A prompt of one text, which may be a script for a scripted agent. */
  prompt(sessionId: string, text: string | Step[], _meta?: JsonObject): Promise<PromptResponse> {
    const block = { type: "text" as const, text: typeof text === "string" ? text : JSON.stringify(text) };
    return this.promptWith(sessionId, [block], _meta);
  }

  promptWith(sessionId: string, prompt: ContentBlock[], _meta?: JsonObject): Promise<PromptResponse> {
    return this.#ask("session/prompt", { sessionId, prompt, ...(_meta ? { _meta } : {}) });
  }

  cancel(sessionId: string, _meta?: JsonObject): void {
    this.notify("session/cancel", { sessionId, ...(_meta ? { _meta } : {}) });
  }

  cancelRequest(requestId: unknown): void {
    this.notify("$/cancel_request", { requestId });
  }

  closeSession(sessionId: string): Promise<ResultOf["session/close"]> {
    return this.#ask("session/close", { sessionId });
  }

  deleteSession(sessionId: string): Promise<ResultOf["session/delete"]> {
    return this.#ask("session/delete", { sessionId });
  }

  setMode(sessionId: string, modeId: string): Promise<ResultOf["session/set_mode"]> {
    return this.#ask("session/set_mode", { sessionId, modeId });
  }

  setOption(
    sessionId: string,
    configId: string,
    value: string | boolean,
  ): Promise<ResultOf["session/set_config_option"]> {
    const typed = typeof value === "boolean" ? { type: "boolean", value } : { value };
    return this.#ask("session/set_config_option", { sessionId, configId, ...typed });
  }

  authenticate(methodId: string): Promise<ResultOf["authenticate"]> {
    return this.#ask("authenticate", { methodId });
  }

  logout(): Promise<ResultOf["logout"]> {
    return this.#ask("logout", {});
  }

  /** Waits until an agent said this, as a chunk of its own; a prompt that holds the words is no such thing. */
  async hears(text: string, since = 0): Promise<void> {
    await this.sees(({ method, params }) => {
      if (method !== "session/update" || !acpSchema().isParams("session/update", params)) return false;
      const { update } = params;
      if (update.sessionUpdate !== "agent_message_chunk") return false;
      return update.content.type === "text" && update.content.text === text;
    }, since);
  }

  /** The updates of a session that came so far, from line number `since` on. */
  updates(sessionId: string, since = 0): SessionNotification["update"][] {
    return this.messages
      .slice(since)
      .filter(({ method }) => method === "session/update")
      .map(({ params }) => params)
      .filter((params) => acpSchema().isParams("session/update", params))
      .filter((params) => params.sessionId === sessionId)
      .map(({ update }) => update);
  }

  /** What the agent said in a session so far, as one text. */
  texts(sessionId: string, since = 0): string {
    return this.#textOf("agent_message_chunk", sessionId, since);
  }

  /** What the hall says that users said, as one text. */
  userTexts(sessionId: string, since = 0): string {
    return this.#textOf("user_message_chunk", sessionId, since);
  }

  /** The bytes of a session's update lines so far, as a journal would hold them. */
  updateBytes(sessionId: string, since = 0): Buffer {
    const lines = this.received.slice(since).filter(({ message: { method, params } }) => {
      const of = typeof params === "object" && params !== null && "sessionId" in params && params.sessionId;
      return method === "session/update" && of === sessionId;
    });
    return Buffer.concat(lines.map(({ bytes }) => bytes));
  }

  /** The next permission question that this has not given out yet. */
  async question(): Promise<Question> {
    const isQuestion = ({ method }: Message): boolean => method === "session/request_permission";
    let passed = 0;
    const taken = this.#questionsTaken++;
    const found = await this.sees((message) => isQuestion(message) && passed++ === taken);
    const { id, params } = found.message;
    if (!acpSchema().isParams("session/request_permission", params)) throw new Error("No proper question.");
    const answer = (result: unknown): void => this.send({ jsonrpc: "2.0", id, result });
    return {
      id,
      params,
      answer,
      select: (optionId) => answer({ outcome: { outcome: "selected", optionId } }),
      cancel: () => answer({ outcome: { outcome: "cancelled" } }),
      fail: (code, message) => this.send({ jsonrpc: "2.0", id, error: { code, message } }),
    };
  }

  /** What the scripted agent behind a session received and sent; asks it by a method of its own. */
  async agentSaw(sessionId: string): Promise<Seen> {
    const { received, sent } = Object(await this.request("_scripted/seen", { sessionId }));
    return { received: parsed(received), sent: parsed(sent) };
  }

  #textOf(kind: "agent_message_chunk" | "user_message_chunk", sessionId: string, since: number): string {
    return this.updates(sessionId, since)
      .map((update) =>
        update.sessionUpdate === kind && update.content.type === "text" ? update.content.text : "",
      )
      .join("");
  }

  #ask<M extends keyof ResultOf>(method: M, params: object): Promise<ResultOf[M]> {
    const answer = this.request(method, params).then((result) => {
      if (acpSchema().isResult(method, result)) return result;
      throw new Error(`"${method}" was answered with ${JSON.stringify(result)}, against its schema.`);
    });
    answer.catch(() => {}); // As in `request`.
    return answer;
  }
}

const parsed = (lines: unknown): Message[] =>
  Array.isArray(lines) ? lines.map((line): Message => JSON.parse(String(line))) : [];
