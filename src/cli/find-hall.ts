import { existsSync, realpathSync } from "node:fs";
import path from "node:path";
import { realDisk } from "../ground/disk.ts";
import { isOwnFolder } from "../ground/own-folder.ts";
import { type RunningHall, runningHalls } from "../hall/addresses.ts";
import { readHolder } from "../hall/lock-holder.ts";
import type { Address } from "../wire/tcp.ts";
import { type HallAddress, hallAddress } from "./hall-address.ts";
import { shownToken } from "./shown-token.ts";
import { NoHall, UsageError } from "./usage.ts";

/** How a command is told which hall it is about. */
export interface HallChoice {
  /** `--connect`: an address as `hallAddress` reads it. */
  connect?: string | undefined;
  /** `--token-file`: what to show at a named address, else $HALL_TOKEN. */
  tokenFile?: string | undefined;
  /** `--config`: the roster of the hall. */
  config?: string | undefined;
}

/**
 * The hall that is meant: the one that is named, by an address or by its roster, else the one of this user that
 * runs. Undefined: none runs. That there is an address does not mean that somebody answers there. Throws a
 * UsageError, also when several run, and a RosterError.
 */
export async function findHall(choice: HallChoice, env = process.env): Promise<HallAddress | undefined> {
  const named = namedAddress(choice, env);
  if (named) return named;
  if (choice.config !== undefined) {
    const { loadRoster } = await import("./chosen-roster.ts");
    return addressIn(loadRoster(choice.config, env).state);
  }
  const halls = runningHalls(realDisk, env);
  if (halls.length > 1) throw new UsageError(severalHalls(halls));
  const [only] = halls;
  return only && { path: only.addresses.unix };
}

/** As `findHall`, for whoever can do nothing without a hall: throws NoHall. */
export async function needHall(choice: HallChoice, env = process.env): Promise<HallAddress> {
  const address = await findHall(choice, env);
  if (address) return address;
  const { config } = choice;
  if (config === undefined)
    throw new NoHall("No hall of yours runs; start one with hall serve, or name one with --connect.");
  throw new NoHall(`The hall of ${config} does not run; start it with hall serve --config ${config}.`);
}

/** The address that was named: by `--connect`, else by $HALL_CONNECT. Throws a UsageError when it is none. */
export function namedAddress({ connect, tokenFile }: HallChoice, env = process.env): HallAddress | undefined {
  const named = connect ?? env.HALL_CONNECT;
  if (!named) return undefined;
  const address = hallAddress(named);
  const token = shownToken(tokenFile, env);
  return token === undefined || "path" in address ? address : { ...address, token };
}

/**
 * The socket of the hall that holds a state directory, as its lock says. A folder that others may enter says
 * nothing: whoever can write there need not be the hall.
 */
export function addressIn(state: string): Address | undefined {
  if (!existsSync(state)) return undefined;
  const folder = realpathSync(state);
  if (!isOwnFolder(folder)) return undefined;
  const socket = readHolder(path.join(folder, "lock"))?.socket;
  return socket && isOwnFolder(path.dirname(socket)) ? { path: socket } : undefined;
}

function severalHalls(halls: readonly RunningHall[]): string {
  const list = halls.map(
    ({ addresses, roster, pid }) => `  --connect unix:${addresses.unix}   (${roster}, pid ${pid})`,
  );
  return ["Several halls of yours run; say which one you mean:", ...list.sort()].join("\n");
}
