import type { ConnectionOptions } from "node:tls";
import type { Clock } from "../ground/clock.ts";
import { codeOf, messageOf } from "../ground/thrown.ts";
import { connectSocket } from "../wire/tcp.ts";
import type { Transport } from "../wire/transport.ts";
import { Bearer } from "./bearer.ts";
import type { HallAddress } from "./hall-address.ts";

/**
 * Connects to a hall, and shows the token that goes with the address. `tls`: whom we trust beside the usual
 * authorities, and who we are where a hall asks for certificates. Rejects with whatever the way there fails with:
 * `troubleOf` tells what that means.
 */
export async function reachHall(
  address: HallAddress,
  tls: ConnectionOptions,
  clock: Clock,
): Promise<Transport> {
  const { token } = address;
  if ("websocket" in address) {
    const { dialWebSocket } = await import("../wire/dial-websocket.ts");
    return dialWebSocket({ url: address.websocket, token, tls, clock });
  }
  const transport = await socketTo(address, tls);
  return token === undefined || "path" in address ? transport : new Bearer(transport, token);
}

async function socketTo(
  address: Exclude<HallAddress, { websocket: string }>,
  tls: ConnectionOptions,
): Promise<Transport> {
  if (!("tls" in address)) return connectSocket(address);
  const { dialTls } = await import("../wire/dial-tls.ts");
  return dialTls(address.tls.host, address.tls.port, tls);
}

/** Why a hall was not reached. `words`: the system's, or the other side's own. */
export type Trouble =
  | { what: "turned away"; words: string; forGood: boolean }
  | { what: "not trusted"; words: string }
  | { what: "nobody there"; words: string };

/** Node's codes for a certificate that does not hold. */
const UNTRUSTED = /CERT|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/;

/** What an error of `reachHall` means. */
export function troubleOf(error: unknown): Trouble {
  if (error instanceof Error && "status" in error) {
    const forGood = error.status === 401 || error.status === 403;
    return { what: "turned away", words: error.message, forGood };
  }
  if (UNTRUSTED.test(codeOf(error) ?? "")) return { what: "not trusted", words: messageOf(error) };
  return { what: "nobody there", words: codeOf(error) ?? String(error) };
}
