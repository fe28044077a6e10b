import { readFileSync } from "node:fs";
import net from "node:net";
import os from "node:os";
import { codeOf } from "../ground/thrown.ts";

/** One end of a TCP connection, as the kernel lists it in /proc/net/tcp or tcp6 (proc_net(5)). */
export interface ConnectionRow {
  readonly local: Endpoint;
  readonly remote: Endpoint;
  /** Two hex digits: `01` is ESTABLISHED. */
  readonly state: string;
  readonly uid: number;
  /** How often in a row the kernel has sent again what nobody acknowledged, or asked whether there is room, in vain. */
  readonly unanswered: number;
  /** 0: no process has this end any more. */
  readonly inode: number;
}

/** An address in 16 bytes as hex, IPv4 mapped into IPv6: one connection is one endpoint, whoever lists it. */
export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

/** All ends of all connections of this network namespace. `proc`: where /proc is. */
export function readConnectionRows(proc: string): ConnectionRow[] {
  return [`${proc}/net/tcp`, `${proc}/net/tcp6`].flatMap((table) => {
    const [, ...lines] = readTable(table).split("\n");
    return lines.flatMap((line) => parseRow(line) ?? []);
  });
}

/** Undefined: no address. A zone (`fe80::1%eth0`) is not part of the address. */
export function endpoint(address: string | undefined, port: number | undefined): Endpoint | undefined {
  if (address === undefined || port === undefined) return undefined;
  const bytes = net.isIPv4(address) ? mapped(address) : bytesOf(address);
  return bytes && { address: bytes.toString("hex"), port };
}

/** A kernel without IPv6 has no tcp6. */
function readTable(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return "";
    throw error;
  }
}

/** Two ends that are one. */
export const isSameEndpoint = (one: Endpoint, other: Endpoint): boolean =>
  one.port === other.port && one.address === other.address;

/** `sl local_address rem_address st tx_queue:rx_queue tr:tm->when retrnsmt uid timeout inode …` */
function parseRow(line: string): ConnectionRow | undefined {
  const [, local, remote, state, , , resent, uid, probed, inode] = line.trim().split(/\s+/);
  if (local === undefined || remote === undefined || state === undefined) return undefined;
  const ends = [readEndpoint(local), readEndpoint(remote)];
  const [here, there] = ends;
  if (!here || !there) return undefined;
  const unanswered = Number.parseInt(resent ?? "0", 16) + Number(probed);
  return { local: here, remote: there, state, uid: Number(uid), unanswered, inode: Number(inode) };
}

/** `0100007F:1CFC`: the address in words of four bytes, each as this machine has it in memory; the port plain. */
function readEndpoint(text: string): Endpoint | undefined {
  const [, address, port] = /^([0-9A-F]{8}|[0-9A-F]{32}):([0-9A-F]{4})$/i.exec(text) ?? [];
  if (address === undefined || port === undefined) return undefined;
  const bytes = Buffer.from(address, "hex");
  if (os.endianness() === "LE") bytes.swap32();
  const whole = bytes.length === 4 ? Buffer.concat([MAPPED, bytes]) : bytes;
  return { address: whole.toString("hex"), port: Number.parseInt(port, 16) };
}

const MAPPED = Buffer.from("00000000000000000000ffff", "hex");

const mapped = (ipv4: string): Buffer => Buffer.concat([MAPPED, Buffer.from(ipv4.split(".").map(Number))]);

/** The 16 bytes of an IPv6 address: `::` stands for as many zeros as are missing. */
function bytesOf(ipv6: string): Buffer | undefined {
  if (!net.isIPv6(ipv6)) return undefined;
  const [withoutZone] = ipv6.split("%");
  // A URL's host is the address in hex words throughout, where it may have come with a dotted end.
  const { hostname } = new URL(`http://[${withoutZone}]`);
  const [head = "", tail = ""] = hostname.slice(1, -1).split("::");
  const before = head.split(":").filter((word) => word !== "");
  const after = tail.split(":").filter((word) => word !== "");
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  const words = [...before, ...zeros, ...after].map((word) => word.padStart(4, "0"));
  return Buffer.from(words.join(""), "hex");
}
