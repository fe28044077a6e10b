import { systemTable } from "../../agents/system-table.ts";
import type { Clock } from "../../ground/clock.ts";
import { messageOf } from "../../ground/thrown.ts";
import { version } from "../../ground/version.ts";
import type { Roster } from "../../hall/roster.ts";
import type { HallChoice } from "../find-hall.ts";
import { doorFindings, doorsOf } from "./doors.ts";
import { type Finding, Findings } from "./finding.ts";
import { limitFindings, systemLimits } from "./limits.ts";
import { portFindings, portsOf } from "./ports.ts";
import { processesOf, processFindings } from "./processes.ts";
import { rosterFindings, rosterFound } from "./roster-file.ts";
import { type Halls, hallFindings, hallsOf } from "./running-halls.ts";
import { slotFindings, slotStates } from "./slots.ts";
import { startFindings } from "./start.ts";
import { stateFindings, stateFolder } from "./state-folder.ts";
import { surroundings, surroundingsFindings } from "./surroundings.ts";
import { tlsFindings, tlsState } from "./tls.ts";

export interface Examination {
  choice: HallChoice;
  clock: Clock;
  env: NodeJS.ProcessEnv;
  /** Absolute: where `./hall.yml` would be. */
  here: string;
  /** Whether agents are started. */
  start: boolean;
}

/** Looks at everything that has made a hall fail, in the order in which one thing stands on another. Changes nothing. */
export async function examine({ choice, clock, env, here, start }: Examination): Promise<Finding[]> {
  const file = rosterFound({ config: choice.config, env, here });
  const { roster } = file;
  const halls = await hallsOf({ choice, state: roster?.state, version: version(), clock, env });
  const hall = halls.holder?.pid;
  return [
    ...surroundingsFindings(surroundings(clock, env)),
    ...rosterFindings(file),
    ...(roster ? await rosterThings(roster, halls, clock, env) : []),
    ...hallFindings(halls),
    ...tried("processes", () => processFindings(processesOf(systemTable(), roster?.state, hall))),
    ...(roster && start ? await startFindings(roster, clock) : []),
  ];
}

/** What hangs on the roster. */
async function rosterThings(
  roster: Roster,
  { holder, running }: Halls,
  clock: Clock,
  env: NodeJS.ProcessEnv,
): Promise<Finding[]> {
  const tls = tlsState(roster, clock);
  return [
    ...slotStates(roster, env).flatMap(slotFindings),
    ...stateFindings(stateFolder(roster.state)),
    ...limitFindings(systemLimits(), roster),
    // The ports of a hall that runs are its own.
    ...(holder ? [] : portFindings(await portsOf(roster), running)),
    ...(tls ? tlsFindings(tls) : []),
    ...doorFindings(doorsOf(roster)),
  ];
}

/** What the system does not let us see is a finding, too, and not the end of the others. */
function tried(check: string, look: () => Finding[]): Finding[] {
  try {
    return look();
  } catch (error) {
    return new Findings(check).warning(
      `This cannot be looked at: ${messageOf(error)}.`,
      "Run hall doctor as the hall's own user.",
    ).all;
  }
}
