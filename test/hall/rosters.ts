import {
  parseRoster,
  type Roster,
  RosterError,
  type RosterOptions,
  type SlotConfig,
} from "../../src/hall/roster.ts";

export const FILE = "/srv/hall.yml";

export const read = (text: string, env: NodeJS.ProcessEnv = {}, options: RosterOptions = {}): Roster =>
  parseRoster(text, FILE, env, options);

/** The roster's first slot. */
export function firstSlot(roster: Roster): SlotConfig {
  const [slot] = roster.slots;
  if (!slot) throw new Error("a roster without a slot");
  return slot;
}

/** What a person sees of a roster that cannot be used, a fault a line, without the file's name. */
export function faults(text: string, env: NodeJS.ProcessEnv = {}, options: RosterOptions = {}): string[] {
  try {
    read(text, env, options);
  } catch (error) {
    if (!(error instanceof RosterError)) throw error;
    return error.message.split("\n").map((line) => line.replace(`${FILE}:`, ""));
  }
  return [];
}

/** The faults of one slot that runs the demo agent and says `line` besides, without their places. */
export const faultsOfSlot = (line: string, env: NodeJS.ProcessEnv = {}): string[] =>
  faults(`slots:\n  a:\n    demo: true\n    ${line}\n`, env).map((fault) => fault.replace(/^\d+:\d+: /, ""));

/** The faults of a roster with one slot that says `line` at its top, without their places. */
export const faultsOfTop = (line: string, env: NodeJS.ProcessEnv = {}): string[] =>
  faults(`slots: { a: { demo: true } }\n${line}\n`, env).map((fault) => fault.replace(/^\d+:\d+: /, ""));
