// @ts-check
import { randomUUID } from "node:crypto";
import { appendFileSync, readFileSync } from "node:fs";

/**
 * @import { JsonObject, Ways } from "./ways.ts"
 * @typedef {{ cwd: string, directories: string[], mcpServers: unknown[], history: JsonObject[] }} Stored
 * @typedef {Stored & { id: string, mode: string | undefined, options: JsonObject[] | undefined }} Session
 * @typedef {{ session?: string, created?: Stored, update?: JsonObject, deleted?: true, login?: boolean }} Record
 */

/**
 * The sessions of this process (live), and what is kept of all of them: in memory, or in a file that every
 * process of the agent appends to. Real agents keep theirs in the home folder.
 */
export class Sessions {
  #ways;
  #count = 0;
  /** @type {Record[]} */
  #memory = [];
  /** @type {Map<string, Session>} */
  live = new Map();

  /** @param {Ways} ways */
  constructor(ways) {
    this.#ways = ways;
  }

  /** @param {{ cwd: string, additionalDirectories?: string[], mcpServers?: unknown[] }} params */
  create(params) {
    this.#count += 1;
    const id = this.#ways.idPrefix === undefined ? randomUUID() : `${this.#ways.idPrefix}${this.#count}`;
    this.#keep({
      session: id,
      created: { cwd: params.cwd, directories: [], mcpServers: [], history: [] },
    });
    return this.open(id, params);
  }

  /**
   * Makes a kept session live in this process, in the agent's own first mode and options.
   * @param {string} id
   * @param {{ cwd: string, additionalDirectories?: string[], mcpServers?: unknown[] }} params
   * @returns {Session}
   */
  open(id, params) {
    const session = {
      id,
      cwd: params.cwd,
      directories: params.additionalDirectories ?? [],
      mcpServers: params.mcpServers ?? [],
      history: this.kept().get(id)?.history ?? [],
      mode: this.#ways.modes?.currentModeId,
      options: this.#ways.configOptions?.map((option) => ({ ...option })),
    };
    this.live.set(id, session);
    return session;
  }

  /**
   * @param {Session} session
   * @param {JsonObject} update
   */
  remember(session, update) {
    session.history.push(update);
    this.#keep({ session: session.id, update });
  }

  /** @param {string} id */
  delete(id) {
    this.live.delete(id);
    this.#keep({ session: id, deleted: true });
  }

  /** @returns {Map<string, Stored>} every session of every process, by id */
  kept() {
    /** @type {Map<string, Stored>} */
    const sessions = new Map();
    for (const { session, created, update, deleted } of this.#records()) {
      if (session === undefined) continue;
      if (created) sessions.set(session, { ...created, history: [] });
      if (update) sessions.get(session)?.history.push(update);
      if (deleted) sessions.delete(session);
    }
    return sessions;
  }

  get loggedIn() {
    return this.#records().findLast((record) => record.login !== undefined)?.login ?? false;
  }

  /** @param {boolean} yes */
  logIn(yes) {
    this.#keep({ login: yes });
  }

  /** @returns {Record[]} */
  #records() {
    if (this.#ways.stateFile === undefined) return this.#memory;
    let text = "";
    try {
      text = readFileSync(this.#ways.stateFile, "utf8");
    } catch {
      return [];
    }
    return text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
  }

  /** @param {Record} record */
  #keep(record) {
    if (this.#ways.stateFile === undefined) this.#memory.push(record);
    else appendFileSync(this.#ways.stateFile, `${JSON.stringify(record)}\n`);
  }
}
