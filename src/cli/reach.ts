import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import { reachHall } from "../bridge/reach.ts";
import { systemClock } from "../ground/clock.ts";
import { messageOf } from "../ground/thrown.ts";
import type { Transport } from "../wire/transport.ts";
import type { HallAddress } from "./hall-address.ts";
import { UsageError } from "./usage.ts";

/** Connects, and shows the token that goes with the address. Rejects with whatever the way there fails with. */
export async function reach(address: HallAddress): Promise<Transport> {
  const usesTls = "tls" in address || "websocket" in address;
  return reachHall(address, usesTls ? tlsIdentity() : {}, systemClock);
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
