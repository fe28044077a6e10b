import path from "node:path";
import type { Address } from "../wire/tcp.ts";
import { UsageError } from "./usage.ts";

/** Where a hall is: on this machine, or behind TLS or a WebSocket; and the token that is shown there. */
export type HallAddress = (Address | { tls: { host: string; port: number } } | { websocket: string }) & {
  readonly token?: string | undefined;
};

const SOCKET = /^(tcp|tls):\/\/(?:\[([0-9a-f:.]+)\]|([^:/[\]@]+)):(\d{1,5})\/?$/i;
const HIGHEST_PORT = 65_535;
/** The kernel's own limit less the end of the string; Node cuts a longer path and connects to another one. */
const LONGEST_PATH_BYTES = 103;
const FORMS = "write unix:PATH, tcp://HOST:PORT, tls://HOST:PORT, ws://HOST:PORT or wss://HOST:PORT";
/** Where a hall takes WebSockets. */
const WEBSOCKET_PATH = "/acp";

/** Where `--connect` or $HALL_CONNECT leads. Throws a UsageError. */
export function hallAddress(text: string): HallAddress {
  if (text.startsWith("unix:")) return unixAddress(text, text.slice("unix:".length));
  if (/^wss?:/i.test(text)) return webSocketAddress(text);
  const [, scheme, ipv6, name, digits] = SOCKET.exec(text) ?? [];
  const host = ipv6 ?? name;
  const port = Number(digits);
  if (host === undefined || port < 1 || port > HIGHEST_PORT)
    throw new UsageError(`${JSON.stringify(text)} is not the address of a hall; ${FORMS}.`);
  return scheme?.toLowerCase() === "tls" ? { tls: { host, port } } : { host, port };
}

function webSocketAddress(text: string): HallAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || url.hostname === "")
    throw new UsageError(`${JSON.stringify(text)} is not the address of a hall; ${FORMS}.`);
  // It is not shown again: what stands there may be a token.
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw new UsageError(
      "The address holds more than host, port and path; a token goes into $HALL_TOKEN or --token-file.",
    );
  if (url.pathname === "/") url.pathname = WEBSOCKET_PATH;
  return { websocket: url.href };
}

function unixAddress(text: string, file: string): HallAddress {
  if (file === "") throw new UsageError(`${JSON.stringify(text)} names no socket; ${FORMS}.`);
  const absolute = path.resolve(file);
  if (Buffer.byteLength(absolute) > LONGEST_PATH_BYTES)
    throw new UsageError(`${absolute} is too long for a UNIX socket; make a short link to its folder.`);
  return { path: absolute };
}

/** As `hallAddress` reads it. */
export function showAddress(address: HallAddress): string {
  if ("path" in address) return `unix:${address.path}`;
  if ("websocket" in address) return address.websocket;
  const [scheme, { host, port }] = "tls" in address ? ["tls", address.tls] : ["tcp", address];
  return `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
