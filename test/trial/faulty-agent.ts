import { type Fields, isFields, resultOf } from "../../src/acp/checks.ts";
import type { Exit } from "../../src/agents/process.ts";
import type { RunningAgent } from "../../src/agents/running-agent.ts";
import type { Clock } from "../../src/ground/clock.ts";
import { parsed } from "../../src/ground/json.ts";
import { LineSplitter } from "../../src/wire/lines.ts";
import { memoryPair } from "../../src/wire/memory.ts";
import type { Transport } from "../../src/wire/transport.ts";

/** Ways in which an agent can deviate; none of them: it does not. */
export const FAULTS = [
  "garbled prompt answer",
  "answers without id",
  "asks without naming the call",
  "cancel answered with an error",
  "cancel answered with end_turn",
  "cancel ignored",
  "cancel kept for the next turn",
  "cancel waits for the question",
  "calls left open",
  "close missing",
  "command survives a cancel",
  "descendants left",
  "ends at a bad line",
  "ends with code 3",
  "EOF ignored",
  "error for a prompt",
  "hangs with a question after a cancel",
  "ids without type",
  "initialize refused",
  "initialize slow",
  "list missing",
  "load missing",
  "load replays after the answer",
  "load replays nothing",
  "load replays only the agent",
  "load takes any session",
  "mode refused",
  "mode taken though unknown",
  "never asks",
  "no JSON-RPC version",
  "no reject option",
  "no session id",
  "no words",
  "noise on stdout",
  "notification answered",
  "option id twice",
  "reads through the client",
  "refusal cancels",
  "refusal ignored",
  "relative cwd taken",
  "resume missing",
  "resume replays",
  "second prompt cancels the first",
  "second prompt joins the first",
  "second prompt lost",
  "SIGINT ignored",
  "SIGTERM ignored",
  "stop reason of its own",
  "tool call twice",
  "tool unannounced",
  "unknown method silent",
  "unknown option allows",
  "unknown session named",
  "update after the answer",
  "update before the session",
  "update without content",
  "version 99 echoed",
  "version as text",
  "wants a login",
  "dies in a turn",
] as const;

export type Fault = (typeof FAULTS)[number];

const OPTIONS = [
  { optionId: "yes", name: "Yes", kind: "allow_once" },
  { optionId: "no", name: "No", kind: "reject_once" },
];
const COMMAND = "timeout 60 tail -f /dev/null";

interface Turn {
  id: unknown;
  sessionId: string;
  text: string;
  question?: number;
}

/** What the processes of one agent share: sessions, and what was said in them. */
export class Home {
  readonly sessions = new Map<string, Fields[]>();
  count = 0;
}

/** An ACP agent in this process, behind what looks like a process, with a fault or none. */
export class FaultyAgent implements RunningAgent {
  readonly transport: Transport;
  readonly number = 1;
  readonly mark = undefined;
  readonly pid = 1;
  readonly asked = false;
  exit: Exit | undefined;
  readonly #far: Transport;
  readonly #lines: LineSplitter;
  readonly #faults: ReadonlySet<Fault>;
  readonly #home: Home;
  readonly #clock: Clock;
  #rings: ((exit: Exit) => void)[] = [];
  #turns: Turn[] = [];
  #tools = new Set<string>();
  #calls = 0;
  #kept = false;
  #nextId = 0;

  constructor(faults: readonly Fault[], home: Home, clock: Clock) {
    const [near, far] = memoryPair();
    this.transport = near;
    this.#far = far;
    this.#faults = new Set(faults);
    this.#home = home;
    this.#clock = clock;
    this.#lines = new LineSplitter(2 ** 20, {
      line: (bytes) => this.#line(bytes.toString()),
      tooLong() {},
    });
    far.start({
      chunk: (bytes) => this.#lines.push(bytes),
      ended: () => {
        if (!this.#has("EOF ignored")) this.#end(this.#has("ends with code 3") ? 3 : 0);
      },
      closed() {},
    });
    if (this.#has("noise on stdout")) this.#raw("Welcome to the agent!");
  }

  get isAlive(): boolean {
    return this.exit === undefined;
  }

  stderrTail(): string[] {
    return [];
  }

  onExit(ring: (exit: Exit) => void): void {
    this.#rings.push(ring);
  }

  interrupt(): void {
    if (!this.#has("SIGINT ignored")) this.#end(null, "SIGINT");
  }

  terminate(): void {
    if (!this.#has("SIGTERM ignored")) this.#end(null, "SIGTERM");
  }

  async kill(): Promise<void> {
    this.#end(null, "SIGKILL");
  }

  async stop(): Promise<void> {
    this.#end(null, "SIGTERM");
  }

  toolsSnapshot(): ReadonlySet<string> {
    if (this.exit) return new Set(this.#has("descendants left") ? ["9@left"] : []);
    return new Set(["1@agent", ...this.#tools]);
  }

  async endToolsSince(): Promise<void> {}

  #has(fault: Fault): boolean {
    return this.#faults.has(fault);
  }

  #end(code: number | null, signal: NodeJS.Signals | null = null): void {
    if (this.exit) return;
    this.exit = { code, signal };
    const { exit } = this;
    for (const ring of this.#rings) queueMicrotask(() => ring(exit));
  }

  #raw(line: string): void {
    if (!this.exit) this.#far.write(Buffer.from(`${line}\n`));
  }

  #send(message: Fields): void {
    this.#raw(JSON.stringify({ jsonrpc: "2.0", ...message }));
  }

  #reply(id: unknown, result: Fields): void {
    this.#send({ id, result });
  }

  #fail(id: unknown, code: number, message: string): void {
    this.#send({ id, error: { code, message } });
  }

  #update(sessionId: string, update: Fields): void {
    const keeps = String(update.sessionUpdate).includes("message");
    if (keeps) this.#home.sessions.get(sessionId)?.push(update);
    this.#send({ method: "session/update", params: { sessionId, update } });
  }

  #say(sessionId: string, text: string): void {
    this.#update(sessionId, { sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
  }

  #line(line: string): void {
    const message = parsed(line);
    if (!isFields(message)) {
      if (this.#has("ends at a bad line")) this.#end(1);
      else this.#fail(null, -32700, "This is no JSON.");
      return;
    }
    const { id, method } = message;
    const params = resultOf(message.params);
    if (typeof method !== "string") this.#answered(message);
    else if (id === undefined) this.#notified(method, params);
    else this.#request(id, method, params);
  }

  #notified(method: string, { sessionId }: Fields): void {
    if (method === "session/cancel") this.#cancel(sessionId);
    else if (this.#has("notification answered"))
      this.#raw('{"jsonrpc":"2.0","error":{"code":-32601,"message":"What?"}}');
  }

  #request(id: unknown, method: string, params: Fields): void {
    const sessionId = String(params.sessionId);
    switch (method) {
      case "initialize":
        this.#initialize(id, params);
        return;
      case "session/new":
        this.#open(id, params);
        return;
      case "session/load":
        this.#load(id, sessionId);
        return;
      case "session/resume":
        if (this.#has("resume missing")) break;
        if (!this.#home.sessions.has(sessionId)) return void this.#fail(id, -32002, "No such session.");
        if (this.#has("resume replays")) this.#say(sessionId, "again");
        return void this.#reply(id, {});
      case "session/list":
        if (this.#has("list missing")) break;
        return void this.#reply(id, {
          sessions: [...this.#home.sessions.keys()].map((one) => ({ sessionId: one })),
        });
      case "session/close":
        if (this.#has("close missing")) break;
        return void this.#reply(id, {});
      case "session/set_mode":
        return void this.#setMode(id, params.modeId);
      case "session/prompt":
        return void this.#prompt(id, params);
      default:
        if (this.#has("unknown method silent") && method === "_hall.try/unknown" && typeof id === "number")
          return;
        if (this.#has("ids without type") && typeof id === "string") return;
    }
    this.#fail(id, -32601, `There is no ${method}.`);
  }

  #initialize(id: unknown, { protocolVersion }: Fields): void {
    if (this.#has("initialize refused")) return void this.#fail(id, -32603, "Not today.");
    const version = protocolVersion === 99 && this.#has("version 99 echoed") ? 99 : 1;
    const answer = (): void =>
      this.#reply(id, {
        protocolVersion: this.#has("version as text") ? "1" : version,
        agentInfo: { name: "faulty", version: "1" },
        agentCapabilities: { loadSession: true, sessionCapabilities: { list: {}, resume: {}, close: {} } },
      });
    if (this.#has("initialize slow")) this.#clock.after(12_000, answer);
    else answer();
  }

  #open(id: unknown, { cwd }: Fields): void {
    if (this.#has("wants a login")) return void this.#fail(id, -32000, "Authentication required");
    if (!String(cwd).startsWith("/") && !this.#has("relative cwd taken"))
      return void this.#fail(id, -32602, "cwd is an absolute path.");
    this.#home.count += 1;
    const sessionId = `s${this.#home.count}`;
    this.#home.sessions.set(sessionId, []);
    if (this.#has("update before the session")) this.#say(sessionId, "early");
    const modes = { currentModeId: "ask", availableModes: [{ id: "ask", name: "Ask" }] };
    const answer = this.#has("no session id") ? { modes } : { sessionId, modes };
    if (this.#has("answers without id")) this.#raw(JSON.stringify({ jsonrpc: "2.0", result: answer }));
    else if (this.#has("no JSON-RPC version"))
      this.#raw(JSON.stringify({ method: "session/update", params: {} }));
    if (!this.#has("answers without id")) this.#reply(id, answer);
    if (this.#has("unknown session named")) this.#say("somebody-else", "hello");
  }

  #load(id: unknown, sessionId: string): void {
    if (this.#has("load missing")) return void this.#fail(id, -32601, "There is no session/load.");
    const kept = this.#home.sessions.get(sessionId);
    if (!kept && !this.#has("load takes any session")) return void this.#fail(id, -32002, "No such session.");
    const history = (kept ?? []).filter(
      ({ sessionUpdate }) =>
        !this.#has("load replays only the agent") || sessionUpdate !== "user_message_chunk",
    );
    const replay = (): void => {
      for (const update of history) this.#send({ method: "session/update", params: { sessionId, update } });
    };
    if (this.#has("load replays nothing")) return void this.#reply(id, {});
    replay();
    this.#reply(id, {});
    if (this.#has("load replays after the answer")) replay();
  }

  #setMode(id: unknown, modeId: unknown): void {
    if (modeId === "ask" ? this.#has("mode refused") : !this.#has("mode taken though unknown"))
      this.#fail(id, -32602, "No such mode.");
    else this.#reply(id, {});
  }

  #prompt(id: unknown, params: Fields): void {
    const sessionId = String(params.sessionId);
    const [block] = Array.isArray(params.prompt) ? params.prompt : [];
    const text = String(resultOf(block).text);
    const turn: Turn = { id, sessionId, text };
    const running = this.#turns[0];
    this.#home.sessions.get(sessionId)?.push({ sessionUpdate: "user_message_chunk", content: block });
    if (running) this.#second(running, turn);
    else this.#begin(turn);
  }

  #second(running: Turn, turn: Turn): void {
    if (this.#has("second prompt lost")) return;
    if (this.#has("second prompt cancels the first")) {
      this.#finish(running, "cancelled");
      this.#begin(turn);
    } else if (this.#has("second prompt joins the first")) {
      this.#finish(running, "end_turn");
      this.#reply(turn.id, { stopReason: "end_turn" });
    } else this.#turns.push(turn);
  }

  #begin(turn: Turn): void {
    if (!this.#turns.includes(turn)) this.#turns.push(turn);
    const { sessionId, text } = turn;
    if (this.#kept) {
      this.#kept = false;
      this.#finish(turn, "cancelled");
    } else if (text === "long") this.#say(sessionId, "one, ");
    else if (text === "tool") this.#useTool(turn);
    else this.#talk(turn);
  }

  #talk(turn: Turn): void {
    const { sessionId } = turn;
    if (this.#has("error for a prompt")) return void this.#failTurn(turn, "The provider is out of order.");
    if (this.#has("dies in a turn")) return void this.#end(1);
    if (this.#has("reads through the client"))
      this.#send({ id: this.#nextId++, method: "fs/read_text_file", params: { sessionId, path: "/x" } });
    if (this.#has("update without content"))
      this.#update(sessionId, { sessionUpdate: "agent_thought_chunk" });
    if (!this.#has("no words")) this.#say(sessionId, "hello");
    this.#finish(turn, this.#has("stop reason of its own") ? "done" : "end_turn");
    if (this.#has("update after the answer")) this.#say(sessionId, "by the way");
  }

  #useTool(turn: Turn): void {
    const { sessionId } = turn;
    this.#calls += 1;
    const toolCallId = `call-${this.#calls}`;
    const call = {
      toolCallId,
      title: COMMAND,
      kind: "execute",
      status: "pending",
      rawInput: { command: COMMAND },
    };
    if (!this.#has("tool unannounced")) this.#update(sessionId, { sessionUpdate: "tool_call", ...call });
    if (this.#has("tool call twice")) this.#update(sessionId, { sessionUpdate: "tool_call", ...call });
    if (this.#has("never asks")) return void this.#run(turn);
    turn.question = this.#nextId++;
    const offered = this.#has("no reject option") ? OPTIONS.slice(0, 1) : OPTIONS;
    const options = this.#has("option id twice")
      ? offered.map((one) => ({ ...one, optionId: "yes" }))
      : offered;
    const toolCall = this.#has("asks without naming the call") ? {} : call;
    this.#send({
      id: turn.question,
      method: "session/request_permission",
      params: { sessionId, toolCall, options },
    });
  }

  #answered({ id, result }: Fields): void {
    const turn = this.#turns[0];
    if (turn?.question === undefined || turn.question !== id) return;
    delete turn.question;
    const outcome = resultOf(resultOf(result).outcome);
    const isUnknown =
      outcome.outcome === "selected" && !OPTIONS.some(({ optionId }) => optionId === outcome.optionId);
    const isYes = outcome.optionId === "yes" && outcome.outcome === "selected";
    const runs = isYes || (isUnknown && this.#has("unknown option allows"));
    if (outcome.outcome === "cancelled" && this.#has("cancel waits for the question"))
      return void this.#finish(turn, "cancelled");
    if (runs) return void this.#run(turn);
    if (this.#has("refusal ignored") && outcome.optionId === "no") {
      this.#ofCall(turn, "completed");
      return void this.#finish(turn, "end_turn");
    }
    if (!this.#has("calls left open")) this.#ofCall(turn, "failed");
    this.#finish(turn, this.#has("refusal cancels") ? "cancelled" : "end_turn");
  }

  #ofCall({ sessionId }: Turn, status: string): void {
    this.#update(sessionId, { sessionUpdate: "tool_call_update", toolCallId: `call-${this.#calls}`, status });
  }

  #run(turn: Turn): void {
    this.#tools.add("5@command");
    this.#ofCall(turn, "in_progress");
  }

  #cancel(sessionId: unknown): void {
    const turn = this.#turns.find((one) => one.sessionId === sessionId);
    if (!turn) {
      if (this.#has("cancel kept for the next turn")) this.#kept = true;
      return;
    }
    if (this.#has("cancel ignored")) return;
    if (turn.question !== undefined && this.#has("cancel waits for the question")) return;
    if (turn.question !== undefined && this.#has("hangs with a question after a cancel")) {
      delete turn.question;
      return;
    }
    if (turn.text === "tool") this.#ofCall(turn, "failed");
    delete turn.question;
    if (!this.#has("command survives a cancel")) this.#tools.clear();
    if (this.#has("cancel answered with an error")) this.#failTurn(turn, "Aborted.");
    else this.#finish(turn, this.#has("cancel answered with end_turn") ? "end_turn" : "cancelled");
  }

  #failTurn(turn: Turn, message: string): void {
    this.#fail(turn.id, -32603, message);
    this.#next(turn);
  }

  #finish(turn: Turn, stopReason: string): void {
    if (this.#has("garbled prompt answer") && turn.text === "talk")
      this.#send({ id: turn.id, result: {}, error: { code: 1, message: "Both." } });
    else this.#reply(turn.id, { stopReason });
    this.#next(turn);
  }

  #next(turn: Turn): void {
    this.#turns = this.#turns.filter((one) => one !== turn);
    const [waiting] = this.#turns;
    if (waiting) this.#begin(waiting);
  }
}
