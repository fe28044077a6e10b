import type net from "node:net";
import { codeOf, messageOf } from "../ground/thrown.ts";
import { addressOf } from "./arrivals.ts";

/** A listener could not begin: a sentence that says where, why, and what to do. */
export class ListenFailed extends Error {
  constructor(place: string, advice: string, cause: unknown) {
    super(`Cannot listen on ${place}: ${advice}`, { cause });
    this.name = "ListenFailed";
  }
}

/** Binds and listens. Rejects with Node's own error (`code`: EADDRINUSE, EACCES, …). */
export function listen(server: net.Server, options: net.ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(options, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

/** Listens on a TCP port; `report` hears what fails later. Rejects with `ListenFailed`. */
export async function listenOnPort(
  server: net.Server,
  { host, port, report }: { host: string; port: number; report(error: Error): void },
): Promise<void> {
  try {
    await listen(server, { host, port });
  } catch (error) {
    throw explain(addressOf(host, port), error);
  }
  server.on("error", report);
}

/** `host:port`, as it was bound. */
export function boundAddress(server: net.Server): string {
  const bound = server.address();
  return bound === null || typeof bound === "string" ? "closed" : addressOf(bound.address, bound.port);
}

/** Node's error as what a person can act upon. */
export function explain(place: string, error: unknown): ListenFailed {
  const advice = ADVICE[codeOf(error) ?? ""] ?? `${messageOf(error).replace(/\.$/, "")}.`;
  return new ListenFailed(place, advice, error);
}

const ADVICE: Readonly<Record<string, string>> = {
  EADDRINUSE: "another program does already. Stop that one, or choose another port (0 for any).",
  EACCES: "this user may not. Choose a port from 1024 on, or a folder that is yours.",
  EADDRNOTAVAIL: "this machine has no such address. Choose one that it has, as 127.0.0.1.",
  ENOTFOUND: "there is no host of this name. Choose an address of this machine, as 127.0.0.1.",
  EAI_AGAIN: "the host's name cannot be looked up now. Choose an address of this machine, as 127.0.0.1.",
  EAFNOSUPPORT: "this machine does not speak that kind of address. Choose another one, as 127.0.0.1.",
};
