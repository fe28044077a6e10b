import fs from "node:fs";
import path from "node:path";
import { messageOf } from "../ground/thrown.ts";
import { Channel, type ChannelHandlers } from "../permission/channel.ts";
import { SOCKET_VARIABLE } from "../permission/hook-question.ts";

export interface ChannelsParts {
  /** Where the socket of this name is bound. */
  socketFor(name: string): string;
  lineLimit(): number;
  noticed(what: string, detail?: unknown): void;
}

/** The socket of one agent process, and what its environment says of it. */
export interface RunChannel {
  readonly environment: Readonly<Record<string, string>>;
  close(): void;
}

/** Where each agent process gets a socket of its own. */
export interface RunChannels {
  open(handlers: Omit<ChannelHandlers, "noticed">): RunChannel;
}

/** The per-run sockets of a hall: one for each agent process. */
export class Channels implements RunChannels {
  readonly #parts: ChannelsParts;
  #last = 0;

  /** Takes away what a hall that was killed left; the state directory's lock is to be in hand. */
  constructor(parts: ChannelsParts) {
    this.#parts = parts;
    const folder = path.dirname(parts.socketFor(nameOf(0)));
    for (const name of fs.existsSync(folder) ? fs.readdirSync(folder) : []) {
      if (name.endsWith(".sock")) fs.rmSync(path.join(folder, name), { force: true });
    }
  }

  /** Opens one. Where that fails the agent has none, and its hooks refuse what they cannot ask. */
  open(handlers: Omit<ChannelHandlers, "noticed">): RunChannel {
    const { socketFor, lineLimit, noticed } = this.#parts;
    try {
      const channel = new Channel(socketFor(nameOf(++this.#last)), lineLimit(), { ...handlers, noticed });
      return { environment: { [SOCKET_VARIABLE]: channel.path }, close: () => channel.close() };
    } catch (error) {
      noticed(`no socket for the hooks of an agent could be made (${messageOf(error)})`, error);
      return { environment: {}, close() {} };
    }
  }
}

/** Names of one length: what is too long for one is too long for all. */
const nameOf = (number: number): string => `${String(number).padStart(6, "0")}.sock`;
