import net from "node:net";
import { StreamTransport } from "./streams.ts";
import type { Transport } from "./transport.ts";

/** Where a socket leads: a TCP port, or a UNIX socket's path. */
export type Address = { host: string; port: number } | { path: string };

/** How long a silent connection lives before the kernel asks whether the other side is still there. */
export const KEEPALIVE_MS = 30_000;

/** Connects. Rejects with Node's own error (`code`: ECONNREFUSED, ENOENT, …). */
export function connectSocket(address: Address): Promise<Transport> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({
      ...address,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: KEEPALIVE_MS,
    });
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.off("error", reject);
      resolve(new StreamTransport(socket, socket));
    });
  });
}
