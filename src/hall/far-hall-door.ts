import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import { reachHall, troubleOf } from "../bridge/reach.ts";
import { tokenInFile } from "../bridge/token-in-file.ts";
import { TurnedAway } from "../bridge/turned-away.ts";
import type { Clock } from "../ground/clock.ts";
import { messageOf } from "../ground/thrown.ts";
import type { Transport } from "../wire/transport.ts";
import type { FarHallRun } from "./roster/slot-config.ts";

/**
 * Connects to the hall that a slot is, with what it asks for: files are read anew each time, so that a token or a
 * certificate can be changed under a hall that runs. Rejects with an error whose message says what to do; with
 * TurnedAway where trying again would not help.
 */
export async function enter(run: FarHallRun, clock: Clock): Promise<Transport> {
  const token = run.token ?? (run.tokenFile === undefined ? undefined : tokenInFile(run.tokenFile));
  const tls = identity(run.tls);
  try {
    return await reachHall({ ...run.address, token }, tls, clock);
  } catch (error) {
    const trouble = troubleOf(error);
    switch (trouble.what) {
      case "turned away": {
        const said = `It did not let us in: ${trouble.words}`;
        throw trouble.forGood
          ? new TurnedAway(`${said} Its token goes into token_file or token.`)
          : new Error(said);
      }
      case "not trusted":
        throw new Error(
          `Its certificate is not trusted (${trouble.words}); tls.ca names a file with who signed it.`,
        );
      case "nobody there":
        throw new Error(
          `Nobody answers there (${trouble.words}); start a hall, or correct the address (hall).`,
        );
    }
  }
}

function identity(files: FarHallRun["tls"]): ConnectionOptions {
  const given = Object.entries(files).flatMap(([what, file]) =>
    file === undefined ? [] : [[what, read(what, file)]],
  );
  return Object.fromEntries(given);
}

function read(what: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new Error(`tls.${what} names a file that cannot be read: ${messageOf(error)}.`);
  }
}
