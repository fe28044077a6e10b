import path from "node:path";
import type { Clock } from "../../ground/clock.ts";
import { realDisk } from "../../ground/disk.ts";
import { type RunningHall, runningHalls } from "../../hall/addresses.ts";
import { type Holder, isAlive, readHolder } from "../../hall/lock-holder.ts";
import { addressIn, type HallChoice, namedAddress } from "../find-hall.ts";
import { showAddress } from "../hall-address.ts";
import { type Finding, Findings } from "./finding.ts";
import { type HallAnswer, knock } from "./hall-answer.ts";

/** The halls that this user has to do with. */
export interface Halls {
  /** Of this command. */
  version: string;
  /** All of this user that run. */
  running: readonly RunningHall[];
  /** Who holds the roster's state directory, if anybody lives there; and what came of knocking. */
  holder: Holder | undefined;
  answer: HallAnswer | undefined;
  /** Where `--connect` or $HALL_CONNECT leads, and what came of knocking there. */
  named: { address: string; answer: HallAnswer } | undefined;
}

export interface HallsPlace {
  choice: HallChoice;
  /** Of the roster. */
  state: string | undefined;
  version: string;
  clock: Clock;
  env: NodeJS.ProcessEnv;
}

/** Throws a UsageError when `--connect` or $HALL_CONNECT is no address. */
export async function hallsOf({ choice, state, version, clock, env }: HallsPlace): Promise<Halls> {
  const named = namedAddress(choice, env);
  const holder = state === undefined ? undefined : await holderOf(state, clock);
  const address = holder && state !== undefined ? addressIn(state) : undefined;
  return {
    version,
    running: runningHalls(realDisk, env),
    holder,
    answer: address && (await knock(address, version, clock)),
    named: named && { address: showAddress(named), answer: await knock(named, version, clock) },
  };
}

async function holderOf(state: string, clock: Clock): Promise<Holder | undefined> {
  const holder = readHolder(path.join(state, "lock"));
  return holder && (await isAlive(holder, clock)) ? holder : undefined;
}

export const hallFindings = (halls: Halls): Finding[] => [
  ...ownFindings(halls),
  ...otherFindings(halls),
  ...namedFindings(halls),
];

/** The hall of the roster. */
function ownFindings({ version, holder, answer }: Halls): Finding[] {
  const findings = new Findings("hall");
  if (!holder) return findings.ok("No hall of this roster runs; hall serve starts one").all;
  const { pid, version: theirs, since } = holder;
  if (answer?.kind !== "answers") {
    const why = answer ? answer.message : "Its socket cannot be reached.";
    return findings.fault(
      `The hall of this roster (pid ${pid}, since ${since}) holds the state directory and does not answer: ${why}`,
      `kill ${pid}, and start it again: hall serve`,
    ).all;
  }
  if (theirs !== version)
    findings.warning(
      `The hall of this roster (pid ${pid}) is version ${theirs}, and this command is ${version}.`,
      "Start it anew: hall stop, then hall serve",
    );
  return findings.elseOk(`The hall of this roster runs (pid ${pid}, version ${theirs})`).all;
}

function otherFindings({ version, running, holder }: Halls): Finding[] {
  const others = running.filter(({ pid }) => pid !== holder?.pid);
  return others.flatMap((other) => {
    const findings = new Findings("other-hall", other.roster);
    if (other.version !== version)
      findings.warning(
        `The hall of ${other.roster} (pid ${other.pid}) is version ${other.version}, and this command is ${version}.`,
        `Start it anew: hall stop --config ${other.roster}, then hall serve --config ${other.roster}`,
      );
    return findings.elseOk(`A hall of ${other.roster} runs, too (pid ${other.pid})`).all;
  });
}

function namedFindings({ version, named }: Halls): Finding[] {
  if (!named) return [];
  const { address, answer } = named;
  const findings = new Findings("connect", address);
  if (answer.kind === "refuses")
    findings.fault(
      answer.message,
      "A token for it is made there with hall token add NAME; show it in $HALL_TOKEN, or by --token-file.",
    );
  else if (answer.kind === "silent")
    findings.fault(
      answer.message,
      "Start the hall there, correct $HALL_CONNECT or --connect, or unset HALL_CONNECT.",
    );
  else if (answer.version !== version)
    findings.warning(
      `The hall at ${address} is version ${answer.version}, and this command is ${version}.`,
      "Bring both to one version.",
    );
  return findings.elseOk(`The hall at ${address} answers`).all;
}
