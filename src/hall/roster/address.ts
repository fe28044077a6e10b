import { isIPv4, isIPv6 } from "node:net";
import { anyShape, leaf, Refusal, textShape } from "./leaf.ts";
import { readSwitch, switchWords } from "./switch.ts";

export interface TcpAddress {
  /** An address of this machine, or a name for one. An IPv6 address without its brackets. */
  host: string;
  /** 0: any free one. */
  port: number;
}

const LOCAL_HOST = "127.0.0.1";
const HIGHEST_PORT = 65_535;
const ADDRESS = /^(?:(?:\[([^\][]*)\]|([^:]*)):)?(\d{1,5})$/;
const HOST_NAME = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/;
const FORM = "write host:port, such as 127.0.0.1:7420, a port alone, or false";

/** 127.0.0.0/8, ::1 however it is written, and localhost: only this machine can use it. */
export function isLoopbackHost(host: string): boolean {
  if (isIPv4(host)) return host.startsWith("127.");
  return host === "localhost" || (isIPv6(host) && /^[0:]*:0{0,3}1$/.test(host));
}

/** Undefined: none, for `false`. */
export function readAddress(value: unknown): TcpAddress | undefined | Refusal {
  if (readSwitch(value) === false) return undefined;
  const written = typeof value === "string" || typeof value === "number" ? String(value) : "";
  const [, bracketed, bare, digits] = ADDRESS.exec(written) ?? [];
  if (digits === undefined) {
    const address = isIPv6(written.replace(/:\d+$/, ""));
    return new Refusal("is not an address", address ? 'write "[::1]:7420", with the host in brackets' : FORM);
  }
  const port = Number(digits);
  if (port > HIGHEST_PORT)
    return new Refusal("has no such port", `ports go up to ${HIGHEST_PORT}; 0 is any free one`);
  const host = (bracketed ?? bare)?.toLowerCase();
  if (host === "") return new Refusal("names no host", FORM);
  if (host === undefined) return { host: LOCAL_HOST, port };
  if (!isIPv4(host) && !isIPv6(host) && !HOST_NAME.test(host)) return new Refusal("is not an address", FORM);
  return { host, port };
}

/** Where to listen; undefined for `false`. */
export const tcpAddress = () =>
  leaf(
    readAddress,
    anyShape(
      { enum: switchWords(false) },
      { type: "integer", minimum: 0, maximum: HIGHEST_PORT },
      textShape("(.+:)?\\d{1,5}"),
    ),
  );
