// @ts-check
import { steps } from "./steps.mjs";

/**
 * @import { Wire, Answer } from "./wire.mjs"
 * @import { Sessions, Session } from "./sessions.mjs"
 * @import { JsonObject, RpcErrorBody, Ways } from "./ways.ts"
 * @import { Step } from "./script.ts"
 * @typedef {{ result: JsonObject } | { error: RpcErrorBody } | "never"} Ending
 */

/** Thrown through a script when its turn was cancelled. */
class Stopped extends Error {}

/** What a session's history keeps; the rest of the updates is state, or of the moment. */
const HISTORY = new Set([
  "user_message_chunk",
  "agent_message_chunk",
  "agent_thought_chunk",
  "tool_call",
  "tool_call_update",
  "plan",
]);

/** One prompt: its script, until it ends, is cancelled, or tells the process to end. */
export class Turn {
  /** @type {JsonObject[]} */
  late = [];
  /** The id of the prompt, as it came. */
  promptId;
  /** The blocks of the prompt, as they came. */
  prompt;
  /** @type {Ending | undefined} set by a step that ends the turn */
  ending;
  #wire;
  #sessions;
  #session;
  #ways;
  #cancelled = false;
  /** A script that waits for its cancel knows of it and goes on. */
  #expectsCancel = false;
  /** @type {() => void} */
  #tellCancelled = () => {};
  /** @type {Promise<void>} */
  #cancelArrived;
  /** @type {Map<number, Promise<Answer>>} */
  #questions = new Map();

  /**
   * @param {Wire} wire
   * @param {Sessions} sessions
   * @param {Session} session
   * @param {Ways} ways
   * @param {{ id: unknown, prompt: JsonObject[] }} request
   */
  constructor(wire, sessions, session, ways, { id, prompt }) {
    this.promptId = id;
    this.prompt = prompt;
    this.#wire = wire;
    this.#sessions = sessions;
    this.#session = session;
    this.#ways = ways;
    this.#cancelArrived = new Promise((resolve) => {
      this.#tellCancelled = resolve;
    });
  }

  get session() {
    return this.#session;
  }

  get wire() {
    return this.#wire;
  }

  /** The user's texts that this session remembers. */
  get memory() {
    return this.#session.history
      .filter((update) => update.sessionUpdate === "user_message_chunk")
      .map((update) => String(/** @type {any} */ (update.content)?.text));
  }

  cancel() {
    this.#cancelled = true;
    this.#tellCancelled();
  }

  /**
   * @param {Step[]} script
   * @returns {Promise<Ending>}
   */
  async run(script) {
    for (const line of this.#ways.stdoutNoise?.inTurn ?? []) this.#wire.writeLine(line);
    try {
      await this.perform(script);
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
      await this.#settleQuestions();
    }
    return this.ending ?? this.#ordinaryEnding();
  }

  /** @param {Step[]} script */
  async perform(script) {
    for (const step of script) {
      if (this.ending) return;
      if (this.#isStopped) throw new Stopped();
      await steps(step, this);
    }
  }

  /**
   * Waits for something outside; a cancel ends the wait and the script.
   * @template T
   * @param {Promise<T>} something
   * @returns {Promise<T>}
   */
  async waitFor(something) {
    this.#wire.release();
    const stopped = this.#cancelArrived.then(() => {
      if (this.#isStopped) throw new Stopped();
      return something;
    });
    return await Promise.race([something, stopped]);
  }

  /** A step that waits for the cancel itself: what follows it runs, also with `ignoreCancel`. */
  async waitForCancel() {
    this.#expectsCancel = true;
    this.#wire.release();
    await this.#cancelArrived;
  }

  /** @param {JsonObject} update */
  update(update) {
    if (HISTORY.has(String(update.sessionUpdate))) this.#sessions.remember(this.#session, update);
    this.#wire.send({ method: "session/update", params: { sessionId: this.#session.id, update } });
  }

  /** @param {string} text */
  say(text) {
    this.update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
  }

  /**
   * @param {string} method
   * @param {JsonObject} params
   * @returns {Promise<Answer>}
   */
  request(method, params) {
    return this.waitFor(this.#wire.request(method, { sessionId: this.#session.id, ...params }).answer);
  }

  /**
   * @param {JsonObject} params
   * @returns {Promise<Answer>}
   */
  question(params) {
    const { id, answer } = this.#wire.request("session/request_permission", {
      sessionId: this.#session.id,
      ...params,
    });
    this.#questions.set(id, answer);
    void answer.then(() => this.#questions.delete(id));
    return this.waitFor(answer);
  }

  get #isStopped() {
    return this.#cancelled && !this.#expectsCancel && !this.#ways.ignoreCancel;
  }

  async #settleQuestions() {
    if (this.#ways.withdrawsQuestions) {
      for (const requestId of this.#questions.keys()) {
        this.#wire.send({ method: "$/cancel_request", params: { requestId } });
      }
    }
    if (this.#ways.hangUntilAnswered) await Promise.all(this.#questions.values());
  }

  /** @returns {Ending} */
  #ordinaryEnding() {
    if (!this.#cancelled || this.#ways.ignoreCancel) return { result: { stopReason: "end_turn" } };
    const how = this.#ways.cancelAnswer ?? "cancelled";
    if (how === "never") return "never";
    if (how === "error") return { error: { code: -32603, message: "The request was aborted." } };
    return { result: { stopReason: how } };
  }
}
