import type { Call } from "../../acp/agent-side.ts";
import { type Fields, isFields } from "../../acp/checks.ts";
import { RpcError, requestCancelled } from "../../acp/errors.ts";
import { AgentMethod } from "../../acp/methods.ts";
import { kindOf, OpenToolCalls } from "../../acp/updates.ts";
import type { Cancel, Clock } from "../../ground/clock.ts";
import type { ErrorBody, Id } from "../../wire/message.ts";
import type { AgentProcess } from "../process.ts";
import type { AcpMessage } from "./acp-message.ts";
import type { Adapter, AdapterSettings, ChildExit, Command } from "./adapter.ts";
import { Child } from "./child.ts";
import type { ClientVoice } from "./client-voice.ts";
import { exitFailure, failed } from "./failure.ts";
import { OpenQuestions } from "./open-questions.ts";
import type { Opening } from "./opening.ts";
import type { Permission, Run, Step } from "./step.ts";

export interface ConversationParts {
  adapter: Adapter<unknown>;
  settings: AdapterSettings;
  opening: Opening;
  client: ClientVoice;
  clock: Clock;
  /** Bytes of the child's longest line. */
  lineLimit: number;
  /** ms in which the opening must be answered. */
  openWithin: number;
  /** ms between the steps of a cancel: the program's own way, SIGINT, SIGTERM, SIGKILL. 0: only the first. */
  cancelGrace: number;
  /** Throws `spawn_failed`. */
  spawn(command: Command, cwd: string): AgentProcess;
  /** Replaces what must not be shown in an error. */
  mask(text: string): string;
  remember(sessionId: string, native: string): void;
  noticed(what: string, detail?: unknown): void;
  /** It is open from now on, under this id. */
  opened(id: string): void;
  /** Nothing more comes of it. */
  over(): void;
  /** The child that it lives by has ended unasked. True: whoever is told answers what is open. */
  lost(exit: ChildExit): boolean;
}

/** Prompts that may wait in a session: an editor sends one at a time. */
const QUEUE_LIMIT = 64;

/** The prompt that runs. */
interface Running {
  readonly call: Call;
  cancelled: boolean;
}

/** One session of an adapter: its state, its child while it has one, its prompts, and every request that waits. */
export class Conversation {
  id: string;
  readonly #parts: ConversationParts;
  readonly #state: unknown;
  readonly #questions: OpenQuestions;
  readonly #toolCalls = new OpenToolCalls();
  readonly #calls = new Map<Id, Call>();
  #phase: "opening" | "open" | "closed" = "opening";
  #opener: Call | undefined;
  /** What was told of a session that its client has no name for yet. */
  #held: Fields[] = [];
  #history: readonly string[] = [];
  #child: Child | undefined;
  #running: Running | undefined;
  #waiting: Call[] = [];
  #closing = false;
  #stopAlarm: Cancel = () => {};

  constructor(parts: ConversationParts) {
    this.#parts = parts;
    this.id = parts.opening.id;
    this.#state = parts.adapter.init(parts.settings, parts.opening);
    this.#questions = new OpenQuestions({
      client: parts.client,
      sessionId: () => this.id,
      decided: (ask, decision) => this.#tell({ kind: "answer", ask, decision }),
    });
  }

  get child(): AgentProcess | undefined {
    return this.#child?.process;
  }

  /** Some request of the client's waits. */
  get busy(): boolean {
    return this.#calls.size > 0 || this.#waiting.length > 0;
  }

  /** Begins it. `call` is answered when it is open; `history` is told before that. */
  open(call: Call, history: readonly string[] = []): void {
    const { adapter, clock, openWithin, opening } = this.#parts;
    this.#opener = call;
    this.#history = history;
    this.#calls.set(call.id, call);
    const command = adapter.command(this.#state);
    try {
      if (command !== "one-shot") this.#startChild(command, "lines");
    } catch (error) {
      this.#end();
      throw error;
    }
    this.#stopAlarm = clock.after(openWithin, () => this.#openedTooLate());
    this.#perform(adapter.started?.(this.#state) ?? []);
    const message: AcpMessage = { kind: "request", id: call.id, method: call.method, params: call.params };
    const forked = opening.how === "fork" && adapter.forkSession;
    if (forked) this.#performAll(() => forked.call(adapter, message, this.#state));
    else this.#tell(message);
    this.#parts.client.flush();
  }

  request(call: Call): void {
    if (call.method !== AgentMethod.prompt) this.#pass(call);
    else if (!this.#running) this.#prompt(call);
    else if (this.#waiting.length < QUEUE_LIMIT) this.#waiting.push(call);
    else
      call.fail(
        failure(
          failed(`More than ${QUEUE_LIMIT} prompts wait already.`, "queue_full", { limit: QUEUE_LIMIT }),
        ),
      );
    this.#parts.client.flush();
  }

  notification(method: string, params: Fields): void {
    this.#tell({ kind: "notification", method, params });
    this.#parts.client.flush();
  }

  /** The running prompt and all that wait. */
  cancel(): void {
    for (const call of this.#waiting.splice(0)) call.reply(CANCELLED);
    const running = this.#running;
    if (!running || running.cancelled) return;
    running.cancelled = true;
    this.#questions.cancelAll();
    if (this.#running === running) this.#tell({ kind: "cancel" });
    this.#parts.client.flush();
    if (this.#running === running) this.#climb(running, ["interrupt", "terminate", "kill"]);
  }

  /** The client takes one request back. True: it was one of ours. */
  takeBack(call: Call): boolean {
    const at = this.#waiting.indexOf(call);
    if (at !== -1) {
      this.#waiting.splice(at, 1);
      call.fail(requestCancelled("The prompt"));
    } else if (this.#running?.call === call) this.cancel();
    else return this.#calls.has(call.id);
    return true;
  }

  /** Ends it: what is open is answered, then its child is stopped. Resolves when that is gone. */
  async close(how: "stop" | "kill" = "stop"): Promise<void> {
    this.#closing = true;
    const child = this.#child;
    if (child && how === "stop") this.#perform(this.#parts.adapter.shutdown?.(this.#state) ?? []);
    this.#answerAll(CLOSED);
    this.#end();
    await (how === "stop" ? child?.process.stop() : child?.process.kill());
  }

  #prompt(call: Call): void {
    this.#running = { call, cancelled: false };
    this.#questions.cancelling = false;
    this.#pass(call);
  }

  #pass(call: Call): void {
    this.#calls.set(call.id, call);
    this.#tell({ kind: "request", id: call.id, method: call.method, params: call.params });
  }

  #tell(message: AcpMessage): void {
    if (this.#phase === "closed") return;
    this.#performAll(() => this.#parts.adapter.fromAcp(message, this.#state), message);
  }

  /** A defect of an adapter's ends the request that it met, not what others live by. */
  #performAll(steps: () => Step[], message?: AcpMessage): void {
    try {
      this.#perform(steps());
    } catch (error) {
      this.#parts.noticed("the adapter met a defect", error);
      if (message?.kind === "request") this.#settle(message.id, { fail: DEFECT });
    }
  }

  #perform(steps: readonly Step[]): void {
    for (const step of steps) this.#do(step);
  }

  #do(step: Step): void {
    const { client, noticed, remember } = this.#parts;
    if ("update" in step) this.#update(step.update);
    else if ("write" in step) this.#child?.write(`${step.write}\n`);
    else if ("reply" in step) this.#settle(step.reply, { reply: step.result });
    else if ("fail" in step) this.#settle(step.fail, { fail: step.error });
    else if ("ask" in step) this.#ask(step.ask, step.permission);
    else if ("withdraw" in step) this.#questions.withdraw(step.withdraw);
    else if ("notify" in step) client.notify(step.notify, step.params);
    else if ("run" in step) this.#run(step.run);
    else if ("interrupt" in step) this.#child?.process.interrupt();
    else if ("stop" in step) void this.#child?.process.stop();
    else if ("remember" in step) remember(this.id, step.remember);
    else noticed(step.log);
  }

  #update(update: Fields): void {
    if (this.#phase === "closed") return;
    if (this.#phase === "opening" && isUnnamed(this.#parts.opening)) {
      this.#held.push(update);
      return;
    }
    this.#toolCalls.see(kindOf(update), update);
    this.#parts.client.update(this.id, update);
  }

  #ask(name: string, permission: Permission): void {
    if (this.#phase === "open") this.#questions.ask(name, permission);
    else this.#tell({ kind: "answer", ask: name, decision: "cancelled" });
  }

  #run(run: Run): void {
    try {
      const child = this.#startChild(run, run.reads);
      child.write(run.stdin);
      child.endInput();
    } catch (error) {
      const call = this.#running?.call;
      if (!(error instanceof RpcError) || !call) throw error;
      this.#settle(call.id, { fail: { ...error.body, code: failed("", "").code } });
    }
  }

  #startChild(command: Command, reads: "lines" | "text"): Child {
    const { adapter, client, lineLimit, opening, spawn } = this.#parts;
    const process = spawn(command, opening.cwd);
    const child = new Child(process, reads, lineLimit, {
      line: (text) => this.#performAll(() => adapter.fromNative(text, this.#state)),
      text: (text) => {
        if (text !== "") this.#performAll(() => adapter.fromText?.(text, this.#state) ?? []);
      },
      readEnd: () => client.flush(),
      tooLong: (limit) => this.#sentTooMuch(limit),
      exited: (exit) => this.#exited(child, exit),
    });
    this.#child = child;
    return child;
  }

  #settle(id: Id, answer: { reply: Fields } | { fail: ErrorBody }): void {
    const call = this.#calls.get(id);
    if (!call) return;
    this.#calls.delete(id);
    if (call === this.#opener) this.#opened(call, answer);
    else if (call === this.#running?.call) this.#turnOver(call, answer);
    else this.#answer(call, answer);
  }

  #opened(call: Call, answer: { reply: Fields } | { fail: ErrorBody }): void {
    const { adapter, client, opened, opening } = this.#parts;
    this.#opener = undefined;
    this.#stopAlarm();
    if ("fail" in answer) {
      this.#answer(call, answer);
      const child = this.#child?.process;
      this.#end();
      void child?.stop();
      return;
    }
    const { sessionId = this.id, ...result } = answer.reply;
    this.id = String(sessionId);
    for (const line of this.#history) this.#performAll(() => adapter.fromHistory?.(line, this.#state) ?? []);
    this.#toolCalls.takeAll();
    const modes = adapter.modes?.(this.#state);
    const configOptions = adapter.configOptions?.(this.#state);
    client.flush();
    this.#phase = "open";
    opened(this.id);
    call.reply({
      ...(isUnnamed(opening) ? { sessionId: this.id } : {}),
      ...(modes ? { modes } : {}),
      ...(configOptions ? { configOptions } : {}),
      ...result,
    });
    for (const update of this.#held.splice(0)) this.#update(update);
    client.flush();
  }

  #turnOver(call: Call, answer: { reply: Fields } | { fail: ErrorBody }): void {
    const cancelled = this.#running?.cancelled;
    this.#stopAlarm();
    this.#questions.withdrawAll();
    for (const toolCallId of this.#toolCalls.takeAll()) {
      this.#update({ sessionUpdate: "tool_call_update", toolCallId, status: "failed" });
    }
    this.#running = undefined;
    if (!cancelled) this.#answer(call, answer);
    else this.#answer(call, { reply: { ...("reply" in answer ? answer.reply : {}), ...CANCELLED } });
    const next = this.#waiting.shift();
    if (next && this.#phase === "open") this.#prompt(next);
  }

  #answer(call: Call, answer: { reply: Fields } | { fail: ErrorBody }): void {
    this.#parts.client.flush();
    if ("reply" in answer) call.reply(answer.reply);
    else call.fail(failure(this.#masked(answer.fail)));
  }

  #masked(error: ErrorBody): ErrorBody {
    const { mask } = this.#parts;
    const data = isFields(error.data) ? error.data : undefined;
    const stderr = Array.isArray(data?.stderr)
      ? { stderr: data.stderr.map((line) => mask(String(line))) }
      : {};
    return { ...error, message: mask(error.message), ...(data ? { data: { ...data, ...stderr } } : {}) };
  }

  #openedTooLate(): void {
    const { adapter, openWithin } = this.#parts;
    const opener = this.#opener;
    const child = this.#child?.process;
    if (!opener) return;
    const error = failed(
      `${adapter.title} did not open the session within ${openWithin} ms.`,
      "init_timeout",
    );
    this.#settle(opener.id, { fail: error });
    void child?.kill();
  }

  #sentTooMuch(limit: number): void {
    const { adapter } = this.#parts;
    const error = failed(`${adapter.title} sent a line of over ${limit} bytes.`, "agent_protocol");
    this.#answerAll({ fail: error });
    void this.#child?.process.kill();
  }

  #exited(child: Child, exit: ChildExit): void {
    if (this.#child === child) this.#child = undefined;
    if (this.#phase === "closed") return;
    const { adapter, client, lost, noticed } = this.#parts;
    const lives = adapter.command(this.#state) === "one-shot";
    this.#performAll(() => adapter.exited?.(exit, this.#state) ?? []);
    client.flush();
    if (lives || this.#closed) {
      const call = this.#running?.call;
      if (call && !this.#child) this.#settle(call.id, { fail: exitFailure(adapter.title, exit) });
      return;
    }
    const wasOpen = this.#phase === "open";
    noticed(`${adapter.title} ended (${exit.signal ?? exit.code})`);
    if (wasOpen && !this.#closing && lost(exit)) this.#end();
    else {
      this.#answerAll({ fail: exitFailure(adapter.title, exit) });
      this.#end();
    }
  }

  get #closed(): boolean {
    return this.#phase === "closed";
  }

  /** Whatever waits is answered; a prompt that was cancelled, or is closed, as cancelled. */
  #answerAll(how: { fail: ErrorBody } | typeof CLOSED): void {
    const waiting = this.#waiting.splice(0);
    for (const call of [...this.#calls.values()]) {
      const isPrompt = call.method === AgentMethod.prompt;
      if ("fail" in how) this.#settle(call.id, how);
      else this.#settle(call.id, isPrompt ? { reply: CANCELLED } : { fail: how.closed });
    }
    for (const call of waiting) {
      if ("fail" in how) call.fail(failure(how.fail));
      else call.reply(CANCELLED);
    }
  }

  #end(): void {
    if (this.#phase === "closed") return;
    this.#stopAlarm();
    this.#phase = "closed";
    this.#parts.over();
  }

  /** What the program does not do by itself after a cancel is done for it, a step at a time. */
  #climb(running: Running, steps: readonly ("interrupt" | "terminate" | "kill")[]): void {
    const { cancelGrace, clock } = this.#parts;
    const [step, ...rest] = steps;
    if (cancelGrace === 0 || step === undefined) return;
    this.#stopAlarm = clock.after(cancelGrace, () => {
      if (this.#running !== running) return;
      void this.#child?.process[step]();
      this.#climb(running, rest);
    });
  }
}

const CANCELLED = { stopReason: "cancelled" } as const;
const CLOSED = { closed: failed("The session was closed.", "client_gone") };
const DEFECT = failed("This request met a defect of the hall; its log says more.", "agent_protocol");

/** The client has no name for it before the answer. */
const isUnnamed = ({ how }: Opening): boolean => how === "new" || how === "fork";

const failure = ({ code, message, data }: ErrorBody): RpcError => new RpcError(code, message, data);
