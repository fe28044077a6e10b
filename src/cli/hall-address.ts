import path from "node:path";
import type { Address } from "../wire/tcp.ts";
import { UsageError } from "./usage.ts";

const TCP = /^tcp:\/\/(?:\[([0-9a-f:.]+)\]|([^:/[\]]+)):(\d{1,5})\/?$/i;
const HIGHEST_PORT = 65_535;
/** The kernel's own limit less the end of the string; Node cuts a longer path and connects to another one. */
const LONGEST_PATH_BYTES = 103;
const FORMS = "write unix:PATH or tcp://HOST:PORT";

/** Where `--connect` or $HALL_CONNECT leads. Throws a UsageError. */
export function hallAddress(text: string): Address {
  if (text.startsWith("unix:")) return unixAddress(text, text.slice("unix:".length));
  const scheme = /^(tls|ws|wss):/i.exec(text)?.[1];
  if (scheme !== undefined)
    throw new UsageError(`This version of hall does not connect by ${scheme} yet; ${FORMS}.`);
  const [, ipv6, name, digits] = TCP.exec(text) ?? [];
  const host = ipv6 ?? name;
  const port = Number(digits);
  if (host === undefined || port < 1 || port > HIGHEST_PORT)
    throw new UsageError(`${JSON.stringify(text)} is not the address of a hall; ${FORMS}.`);
  return { host, port };
}

function unixAddress(text: string, file: string): Address {
  if (file === "") throw new UsageError(`${JSON.stringify(text)} names no socket; ${FORMS}.`);
  const absolute = path.resolve(file);
  if (Buffer.byteLength(absolute) > LONGEST_PATH_BYTES)
    throw new UsageError(`${absolute} is too long for a UNIX socket; make a short link to its folder.`);
  return { path: absolute };
}

/** As `hallAddress` reads it. */
export function showAddress(address: Address): string {
  if ("path" in address) return `unix:${address.path}`;
  return `tcp://${address.host.includes(":") ? `[${address.host}]` : address.host}:${address.port}`;
}
