import type { Fields } from "../acp/checks.ts";
import { childEnvironment } from "../agents/environment.ts";
import type { Launch } from "../agents/launch.ts";
import type { Ledger } from "../agents/ledger.ts";
import { launchOf } from "../agents/native.ts";
import type { ProcessTable } from "../agents/process-table.ts";
import { findKnownAgent } from "../agents/registry.ts";
import { spawnAgent } from "../agents/spawn.ts";
import type { Clock } from "../ground/clock.ts";
import type { Shares } from "../wire/shares.ts";
import type { SlotConfig } from "./roster.ts";
import type { Ways } from "./slot.ts";
import type { SlotAgents } from "./slots.ts";

export interface SlotAgentsParts {
  clock: Clock;
  ledger: Ledger;
  table: ProcessTable;
  /** The hall's own environment. */
  host: NodeJS.ProcessEnv;
  shares: Shares;
  /** The roster's folder. */
  folder: string;
  onStderr(slot: string, line: string): void;
  noticed(what: string): void;
}

/** How a slot's agent is started, and what is known of its ways. What the roster says wins. */
export function slotAgents(slot: SlotConfig, parts: SlotAgentsParts): SlotAgents {
  const environment = (launch: Launch | undefined): Record<string, string> =>
    childEnvironment({
      host: parts.host,
      inherit: slot.envInherit,
      slot: slot.env,
      ...(launch ? { agent: launch.env } : {}),
    });
  const launch = (cwd: string): Launch =>
    launchOf(slot.run, {
      slot: slot.name,
      args: slot.args,
      path: environment(undefined).PATH,
      cwd,
      folder: parts.folder,
    });
  return {
    ways: waysOf(slot),
    environment: () => environment(undefined),
    launch: JSON.stringify([slot.run, slot.args, Object.keys(slot.env)]),
    spawn(cwd, more) {
      const found = launch(cwd);
      const { clock, ledger, table, shares, noticed } = parts;
      const cwdFrom = cwd === slot.cwd ? "the roster" : "the client";
      return spawnAgent(
        { ...found, slot: slot.name, env: { ...environment(found), ...more }, cwd, cwdFrom },
        {
          clock,
          ledger,
          table,
          shares,
          onStderr: (line) => parts.onStderr(slot.name, line),
          onTrouble: noticed,
        },
      );
    },
  };
}

function waysOf(slot: SlotConfig): Ways {
  const known = slot.run.kind === "agent" ? findKnownAgent(slot.run.id) : undefined;
  const { ways = {}, capabilities, authMethods = [] } = known ?? {};
  const lacks = new Set<"resume" | "load">();
  if (ways.load === false) lacks.add("load");
  if (ways.resume === false) lacks.add("resume");
  return {
    fs: slot.fs ?? ways.fs ?? "on",
    terminal: slot.terminal ?? ways.terminal ?? "on",
    // What one session's turn started cannot be told from what another's did.
    cancelTools: slot.isolation === "session" && (slot.cancelTools ?? ways.cancelTools ?? false),
    lacks,
    capabilities: { ...capabilities },
    authMethods: authMethods.map((method): Fields => ({ ...method })),
  };
}
