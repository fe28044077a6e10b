import net from "node:net";
import tls from "node:tls";
import { StreamTransport } from "./streams.ts";
import { KEEPALIVE_MS } from "./tcp.ts";
import type { Transport } from "./transport.ts";

/** Connects by TLS. Rejects with Node's own error (`code`: ECONNREFUSED, CERT_HAS_EXPIRED, …). */
export function dialTls(host: string, port: number, options: tls.ConnectionOptions): Promise<Transport> {
  return new Promise((resolve, reject) => {
    const socket = tls.connect({
      ...options,
      host,
      port,
      // A name; an address is none, and is looked for in the certificate all the same.
      ...(net.isIP(host) === 0 ? { servername: host } : {}),
    });
    socket.setNoDelay(true);
    socket.setKeepAlive(true, KEEPALIVE_MS);
    socket.once("error", reject);
    socket.once("secureConnect", () => {
      socket.off("error", reject);
      resolve(new StreamTransport(socket, socket));
    });
  });
}
