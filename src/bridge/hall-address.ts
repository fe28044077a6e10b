import path from "node:path";
import type { Address } from "../wire/tcp.ts";

/** Where a hall is: on this machine, or behind TLS or a WebSocket; and the token that is shown there. */
export type HallAddress = (Address | { tls: { host: string; port: number } } | { websocket: string }) & {
  readonly token?: string | undefined;
};

/** Why a text is no address of a hall. */
export type AddressFault = "no address" | "more than an address" | "no socket" | "too long";

export const ADDRESS_FORMS =
  "write unix:PATH, tcp://HOST:PORT, tls://HOST:PORT, ws://HOST:PORT or wss://HOST:PORT";

const SOCKET = /^(tcp|tls):\/\/(?:\[([0-9a-f:.]+)\]|([^:/[\]@]+)):(\d{1,5})\/?$/i;
const HIGHEST_PORT = 65_535;
/** The kernel's own limit less the end of the string; Node cuts a longer path and connects to another one. */
const LONGEST_PATH_BYTES = 103;
/** Where a hall takes WebSockets. */
const WEBSOCKET_PATH = "/acp";

/** Where an address leads. `folder`: what a relative path of a socket starts from. */
export function readHallAddress(text: string, folder: string): HallAddress | AddressFault {
  if (text.startsWith("unix:")) return unixAddress(text.slice("unix:".length), folder);
  if (/^wss?:/i.test(text)) return webSocketAddress(text);
  const [, scheme, ipv6, name, digits] = SOCKET.exec(text) ?? [];
  const host = ipv6 ?? name;
  const port = Number(digits);
  if (host === undefined || port < 1 || port > HIGHEST_PORT) return "no address";
  return scheme?.toLowerCase() === "tls" ? { tls: { host, port } } : { host, port };
}

function webSocketAddress(text: string): HallAddress | AddressFault {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || url.hostname === "") return "no address";
  // What stands there may be a token.
  const isMore = url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "";
  if (isMore) return "more than an address";
  if (url.pathname === "/") url.pathname = WEBSOCKET_PATH;
  return { websocket: url.href };
}

function unixAddress(file: string, folder: string): HallAddress | AddressFault {
  if (file === "") return "no socket";
  const absolute = path.resolve(folder, file);
  return Buffer.byteLength(absolute) > LONGEST_PATH_BYTES ? "too long" : { path: absolute };
}

/** As `readHallAddress` reads it; without the token. */
export function showAddress(address: HallAddress): string {
  if ("path" in address) return `unix:${address.path}`;
  if ("websocket" in address) return address.websocket;
  const [scheme, { host, port }] = "tls" in address ? ["tls", address.tls] : ["tcp", address];
  return `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
