import { isFields } from "../../acp/checks.ts";
import type { Clock } from "../../ground/clock.ts";
import { messageOf } from "../../ground/thrown.ts";
import type { Roster, SlotConfig } from "../../hall/roster.ts";
import { withLoneAgent } from "../lone-agent.ts";
import { type Finding, Findings } from "./finding.ts";

/** Starts each slot's agent, one after another, as far as `initialize`, and ends it. */
export async function startFindings(roster: Roster, clock: Clock): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const slot of roster.slots) {
    if (slot.unavailable === undefined) findings.push(...(await startedOnce(slot, roster, clock)));
  }
  return findings;
}

async function startedOnce(slot: SlotConfig, roster: Roster, clock: Clock): Promise<Finding[]> {
  const findings = new Findings("start", slot.name);
  const began = clock.monotonic();
  try {
    const told = await withLoneAgent(slot, { roster, clock }, async ({ initialized }) =>
      nameIn(initialized.agentInfo),
    );
    const seconds = ((clock.monotonic() - began) / 1000).toFixed(1);
    return findings.ok(`${told} answered initialize in ${seconds} s`).all;
  } catch (error) {
    return findings.fault(
      messageOf(error),
      `Run what it runs by hand (hall check shows it), or hall login ${slot.name}; docs/troubleshooting.md has each error.`,
    ).all;
  }
}

function nameIn(info: unknown): string {
  if (!isFields(info) || typeof info.name !== "string") return "It";
  return typeof info.version === "string" ? `${info.name} ${info.version}` : info.name;
}
