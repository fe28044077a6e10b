import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import { systemClock } from "../ground/clock.ts";
import { messageOf } from "../ground/thrown.ts";
import { connectSocket } from "../wire/tcp.ts";
import type { Transport } from "../wire/transport.ts";
import { Bearer } from "./bearer.ts";
import type { HallAddress } from "./hall-address.ts";
import { UsageError } from "./usage.ts";

/** Connects, and shows the token that goes with the address. Rejects with whatever the way there fails with. */
export async function reach(address: HallAddress): Promise<Transport> {
  const { token } = address;
  if ("websocket" in address) {
    const { dialWebSocket } = await import("../wire/dial-websocket.ts");
    return dialWebSocket({ url: address.websocket, token, tls: tlsIdentity(), clock: systemClock });
  }
  const transport = await socketTo(address);
  return token === undefined || "path" in address ? transport : new Bearer(transport, token);
}

async function socketTo(address: Exclude<HallAddress, { websocket: string }>): Promise<Transport> {
  if (!("tls" in address)) return connectSocket(address);
  const { dialTls } = await import("../wire/dial-tls.ts");
  return dialTls(address.tls.host, address.tls.port, tlsIdentity());
}

/** Whom we trust beside the usual authorities, and who we are where a hall asks for certificates: files. */
function tlsIdentity(env = process.env): ConnectionOptions {
  const files = { ca: env.HALL_TLS_CA, cert: env.HALL_TLS_CERT, key: env.HALL_TLS_KEY };
  const given = Object.entries(files).flatMap(([what, file]) => (file ? [[what, read(file)]] : []));
  return Object.fromEntries(given);
}

function read(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new UsageError(`$HALL_TLS_CA, $HALL_TLS_CERT and $HALL_TLS_KEY name files: ${messageOf(error)}.`);
  }
}
