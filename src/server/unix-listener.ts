import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { makeOwnFolder } from "../ground/own-folder.ts";
import { codeOf } from "../ground/thrown.ts";
import type { Origin } from "../hall/origin.ts";
import type { Shares } from "../wire/shares.ts";
import { StreamTransport } from "../wire/streams.ts";
import { connectSocket } from "../wire/tcp.ts";
import type { Transport } from "../wire/transport.ts";
import { explain, ListenFailed, listen } from "./listen.ts";

export interface UnixListenerOptions {
  /** Where the socket is bound (`socketPath`). Its folder is made, this user's alone. */
  readonly path: string;
  readonly shares: Shares;
  /** A connection came in: this user's own, or root's. Its transport is still to be started. */
  accept(transport: Transport, origin: Origin): void;
  /** Something failed that is no single connection's, as when files run out. The listener goes on. */
  report(error: Error): void;
}

/** The hall's UNIX socket: whoever can open it is the hall's own user. */
export class UnixListener {
  readonly #server: net.Server;

  private constructor({ path: address, shares, accept }: UnixListenerOptions) {
    const origin: Origin = { via: "unix", local: true, trusted: true, address };
    this.#server = net.createServer({ allowHalfOpen: true }, (socket) => {
      accept(new StreamTransport(socket, socket, shares), origin);
    });
  }

  /** Rejects with `ListenFailed`. Call it with the state directory's lock in hand: a dead socket is replaced. */
  static async open(options: UnixListenerOptions): Promise<UnixListener> {
    const { path: file, report } = options;
    const listener = new UnixListener(options);
    makeOwnFolder(path.dirname(file));
    try {
      await removeDead(file);
      await listen(listener.#server, { path: file });
    } catch (error) {
      throw error instanceof ListenFailed ? error : explain(file, error);
    }
    // Until here its folder kept the others out.
    fs.chmodSync(file, 0o600);
    listener.#server.on("error", report);
    return listener;
  }

  /** Lets nobody in any more, and takes the socket away. Who is in stays. */
  close(): void {
    this.#server.close();
  }
}

/** Removes the socket of a hall that was killed. Throws when it is no socket, or when somebody is there. */
async function removeDead(file: string): Promise<void> {
  const found = fs.lstatSync(file, { throwIfNoEntry: false });
  if (!found) return;
  if (!found.isSocket())
    throw new ListenFailed(file, "something that is no socket is there. Move it away.", undefined);
  try {
    const transport = await connectSocket({ path: file });
    transport.destroy();
  } catch (error) {
    if (codeOf(error) !== "ECONNREFUSED") throw error;
    fs.rmSync(file);
    return;
  }
  throw new ListenFailed(file, "another program answers there. Stop that one first.", undefined);
}
