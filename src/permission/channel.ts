import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { makeOwnFolder } from "../ground/own-folder.ts";
import { StreamTransport } from "../wire/streams.ts";
import { Asker, type AskerParts } from "./asker.ts";

/** Questions that may be open on one socket; one more is refused at once. */
const OPEN_LIMIT = 16;
/** Connections that one socket has at once; one more is closed. */
const CONNECTION_LIMIT = 64;

export type ChannelHandlers = Pick<AskerParts, "ask" | "withdrawn" | "noticed">;

/**
 * The UNIX socket of one agent process, on which its hooks ask whether they may. Each connection speaks JSON-RPC on
 * lines. Whoever can open it is the hall's own user.
 */
export class Channel {
  readonly path: string;
  readonly #server: net.Server;
  readonly #handlers: ChannelHandlers;
  readonly #lineLimit: number;
  readonly #askers = new Set<Asker>();

  /** Listens from here on. What keeps it from that is told to the log, and then nobody can ask: that is a no. */
  constructor(file: string, lineLimit: number, handlers: ChannelHandlers) {
    this.path = file;
    this.#handlers = handlers;
    this.#lineLimit = lineLimit;
    this.#server = net.createServer({ allowHalfOpen: true }, (socket) => this.#connected(socket));
    this.#server.on("error", (error) => handlers.noticed("nobody can ask by the per-run socket", error));
    makeOwnFolder(path.dirname(file));
    // Node binds it before this returns; until then its folder keeps the others out.
    this.#server.listen(file);
    if (fs.existsSync(file)) fs.chmodSync(file, 0o600);
    this.#server.unref();
  }

  /** The process is over: the socket goes, and whoever still asks is refused by that. */
  close(): void {
    this.#server.close();
    for (const asker of [...this.#askers]) asker.destroy();
  }

  #connected(socket: net.Socket): void {
    if (this.#askers.size >= CONNECTION_LIMIT) {
      // Whatever else becomes of it is nobody's business: whoever asks there gets no answer, which is a no.
      socket.on("error", () => {});
      socket.destroy();
      return;
    }
    const asker: Asker = new Asker(new StreamTransport(socket, socket), {
      ...this.#handlers,
      lineLimit: this.#lineLimit,
      full: () => this.#full,
      closed: () => this.#askers.delete(asker),
    });
    this.#askers.add(asker);
    asker.start();
  }

  get #full(): string | undefined {
    const open = [...this.#askers].reduce((sum, asker) => sum + asker.open, 0);
    if (open < OPEN_LIMIT) return undefined;
    return `${OPEN_LIMIT} questions of this process are open already; this one was refused.`;
  }
}
