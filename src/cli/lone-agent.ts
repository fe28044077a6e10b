import type { Fields } from "../acp/checks.ts";
import { MemoryNumbers } from "../agents/adapters/memory-numbers.ts";
import { Notebook } from "../agents/adapters/notebook.ts";
import { systemTable } from "../agents/system-table.ts";
import type { Clock } from "../ground/clock.ts";
import { realDisk } from "../ground/disk.ts";
import { version } from "../ground/version.ts";
import { Agent } from "../hall/agent.ts";
import { masked } from "../hall/roster/exposure.ts";
import type { Roster, SlotConfig } from "../hall/roster.ts";
import { slotAgents } from "../hall/slot-agents.ts";
import { Shares } from "../wire/shares.ts";

export interface LoneParts {
  roster: Roster;
  clock: Clock;
  env?: NodeJS.ProcessEnv;
  /** Each line of the agent's stderr. */
  onStderr?: (line: string) => void;
}

/** Terminals that a person sits at: agents tell of logins that need one only to a client that has it. */
const AT_A_TERMINAL = { auth: { terminal: true }, _meta: { "terminal-auth": true } };

/**
 * Starts a slot's agent as a hall would, but without one, past `initialize`, for as long as this work takes. No
 * session is opened. Rejects with `spawn_failed`, `init_timeout`, `agent_exited` or `agent_protocol`, and as the work
 * does.
 */
export async function withLoneAgent<Value>(
  slot: SlotConfig,
  parts: LoneParts,
  work: (agent: Agent) => Promise<Value>,
): Promise<Value> {
  const agent = startAgent(slot, parts);
  try {
    await agent.initialize(introduction(slot), slot.initTimeout);
    return await work(agent);
  } finally {
    await agent.process.stop();
  }
}

function startAgent(slot: SlotConfig, { roster, clock, env = process.env, onStderr }: LoneParts): Agent {
  const mask = (text: string): string => masked(text, roster.secrets);
  const { spawn } = slotAgents(slot, {
    clock,
    ledger: new MemoryNumbers(),
    table: systemTable(),
    notebook: new Notebook(realDisk, roster.state),
    disk: realDisk,
    host: env,
    shares: new Shares(),
    folder: roster.folder,
    state: roster.state,
    lineLimit: () => roster.limits.line,
    mask,
    onStderr: (_slot, line) => onStderr?.(mask(line)),
    noticed() {},
  });
  return new Agent(spawn(slot.cwd, {}), {
    slot: slot.name,
    shared: false,
    clock,
    lineLimit: () => roster.limits.line,
    hallId: "",
    hookEnvironment: {},
    cancelGrace: () => roster.cancelGrace,
    mask,
    answered() {},
    noticed() {},
  });
}

const introduction = ({ clientCapabilities }: SlotConfig): Fields => ({
  protocolVersion: 1,
  clientInfo: { name: "hall", title: "hall", version: version() },
  clientCapabilities: { ...AT_A_TERMINAL, ...clientCapabilities },
});
