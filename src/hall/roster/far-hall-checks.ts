import { isFields } from "../../acp/checks.ts";
import { readHallAddress } from "../../bridge/hall-address.ts";
import { isLoopbackHost } from "./address.ts";
import type { Finding } from "./finding.ts";

type Keys = Readonly<Record<string, unknown>>;

/** What is only said of a way into another hall, and what is only said of an agent that runs here. */
const OF_HALLS = ["slot", "token", "token_file", "tls"];
const OF_PROCESSES = ["args", "env", "env_inherit", "cancel_tools", "launch", "launch_kind"];

/** `hall` and the keys that must or must not stand beside it. */
export function farHallFindings(slot: Keys): Finding[] {
  if (!("hall" in slot)) {
    const todo = "take the key out, or write hall with that hall's address";
    return astray(slot, OF_HALLS, "this is for a slot that is another hall", todo);
  }
  const found = astray(
    slot,
    OF_PROCESSES,
    "the other hall starts the agent, as its own roster says",
    "take the key out",
  );
  if ("token" in slot && "token_file" in slot) {
    const todo = "keep one of the two keys";
    found.push({ path: ["token_file"], about: "key", what: "the token is written already", todo });
  }
  return [...found, ...tokenFindings(slot), ...tlsFindings(slot)];
}

/** Said before a password is put on a network for all to read. */
export function farHallWarnings({ hall }: Keys): Finding[] {
  const host = plainHost(hall);
  if (host === undefined || isLoopbackHost(host)) return [];
  const what = "is reached without TLS: the token, and all that is said, can be read on the way";
  return [{ path: ["hall"], about: "value", what, todo: "write tls:// or wss://, or use a tunnel" }];
}

function tokenFindings(slot: Keys): Finding[] {
  const address = addressIn(slot.hall);
  if (!address || !("path" in address)) return [];
  const what = "a UNIX socket takes no token: whoever may open it is let in";
  return astray(slot, ["token", "token_file"], what, "take the key out");
}

function tlsFindings({ hall, tls }: Keys): Finding[] {
  const address = addressIn(hall);
  if (!isFields(tls)) return [];
  const byTls = !address || "tls" in address || ("websocket" in address && /^wss:/.test(address.websocket));
  if (!byTls) {
    const todo = "take the key out, or write the address as tls:// or wss://";
    return [{ path: ["tls"], about: "key", what: "that hall is not reached by TLS", todo }];
  }
  if ("cert" in tls === "key" in tls) return [];
  const [there, missing] = "cert" in tls ? ["cert", "key"] : ["key", "cert"];
  const what = "a certificate and its key go together";
  return [{ path: ["tls", there], about: "key", what, todo: `write ${missing} too` }];
}

const astray = (slot: Keys, keys: readonly string[], what: string, todo: string): Finding[] =>
  keys.filter((key) => key in slot).map((key): Finding => ({ path: [key], about: "key", what, todo }));

function addressIn(hall: unknown) {
  const address = typeof hall === "string" ? readHallAddress(hall, "/") : "no address";
  return typeof address === "string" ? undefined : address;
}

function plainHost(hall: unknown): string | undefined {
  const address = addressIn(hall);
  if (!address) return undefined;
  if ("host" in address) return address.host;
  if (!("websocket" in address)) return undefined;
  const { protocol, hostname } = new URL(address.websocket);
  return protocol === "ws:" ? hostname.replace(/^\[(.*)\]$/, "$1") : undefined;
}
