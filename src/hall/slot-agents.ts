import { join } from "node:path";
import type { Fields } from "../acp/checks.ts";
import { AdaptedAgent } from "../agents/adapters/adapted-agent.ts";
import type { AdapterSettings } from "../agents/adapters/adapter.ts";
import type { Notebook } from "../agents/adapters/notebook.ts";
import { childEnvironment } from "../agents/environment.ts";
import { tellsOfLoop } from "../agents/host/busy-watch.ts";
import { lastingMemory } from "../agents/host/memory.ts";
import { type Launch, spawnFailed } from "../agents/launch.ts";
import { launchOf, type NativeRun } from "../agents/native.ts";
import type { AgentProcess, Graces, ProcessNumbers } from "../agents/process.ts";
import type { ProcessTable } from "../agents/process-table.ts";
import { findProgram } from "../agents/program.ts";
import { findKnownAgent } from "../agents/registry.ts";
import { spawnAgent } from "../agents/spawn.ts";
import { showAddress } from "../bridge/hall-address.ts";
import type { Clock } from "../ground/clock.ts";
import type { Disk } from "../ground/disk.ts";
import type { Shares } from "../wire/shares.ts";
import { type AdapterRun, adapterOf, adapterSettings } from "./adapter-settings.ts";
import type { AgentRun, ProgramStory } from "./agent-run.ts";
import { FarHall } from "./far-hall.ts";
import { enter } from "./far-hall-door.ts";
import type { FarHallRun } from "./roster/slot-config.ts";
import type { SlotConfig, SlotRun } from "./roster.ts";
import type { Ways } from "./slot-edition.ts";
import type { SlotAgents } from "./slots.ts";

export interface SlotAgentsParts {
  clock: Clock;
  ledger: ProcessNumbers;
  table: ProcessTable;
  notebook: Notebook;
  disk: Disk;
  /** The hall's own environment. */
  host: NodeJS.ProcessEnv;
  shares?: Shares;
  /** See `ProcessParts`. */
  sweep?: Graces;
  /** The roster's folder. */
  folder: string;
  /** The hall's state directory. */
  state: string;
  /** Bytes of an agent's longest line. */
  lineLimit(): number;
  /** Replaces what the hall knows to be secret. */
  mask(text: string): string;
  onStderr(slot: string, line: string): void;
  noticed(what: string, detail?: unknown): void;
}

/** How a slot's agent is started, and what is known of its ways. What the roster says wins. */
export function slotAgents(slot: SlotConfig, parts: SlotAgentsParts): SlotAgents {
  const { run } = slot;
  return {
    ...meansOf(slot, run, parts),
    ways: waysOf(slot),
    launch: JSON.stringify([
      run.kind === "hall" ? [showAddress(run.address), run.slot] : run,
      slot.args,
      Object.keys(slot.env),
    ]),
  };
}

function meansOf(slot: SlotConfig, run: SlotRun, parts: SlotAgentsParts): Means {
  if (run.kind === "adapter") return adapted(slot, run, parts);
  return run.kind === "hall" ? behindAnother(slot, run, parts) : native(slot, run, parts);
}

type Means = Pick<SlotAgents, "environment" | "spawn" | "forget">;

function native(slot: SlotConfig, run: NativeRun, parts: SlotAgentsParts): Means {
  const environment = environmentOf(slot, parts);
  const memory = join(parts.state, "modules", slot.name);
  const launch = (cwd: string): Launch =>
    launchOf(run, {
      slot: slot.name,
      args: slot.args,
      path: environment().PATH,
      cwd,
      folder: parts.folder,
      lineLimit: parts.lineLimit(),
      memory,
    });
  return {
    forget(agentSession) {
      if (run.kind === "module") lastingMemory(memory, parts.disk).forget(agentSession);
    },
    environment: () => environment(),
    spawn(cwd, more, run) {
      const found = launch(cwd);
      return start(slot, { ...found, env: { ...environment(found.env), ...more } }, cwd, { ...parts, run });
    },
  };
}

/** An adapter runs in the hall itself; what it starts, it starts when a session is opened, in that session's folder. */
function adapted(slot: SlotConfig, run: AdapterRun, parts: SlotAgentsParts): Means {
  const adapter = adapterOf(run);
  const settings = (env: Record<string, string>): AdapterSettings =>
    adapterSettings(slot, run, parts.folder, env);
  const environment = (): Record<string, string> =>
    environmentOf(slot, parts)(adapter.environment?.(settings({})));
  return {
    environment,
    forget() {},
    spawn(_cwd, more, told) {
      const env = { ...environment(), ...more };
      const program = adapter.program(settings(env));
      const found = findProgram(program, env.PATH);
      if ("problem" in found) throw spawnFailed(slot.name, found.problem, { program });
      const { clock, lineLimit, mask, notebook, noticed } = parts;
      return new AdaptedAgent({
        adapter,
        settings: settings(env),
        clock,
        lineLimit: lineLimit(),
        mask,
        openWithin: slot.initTimeout,
        // The hall climbs its own ladder.
        cancelGrace: 0,
        spawn: (command, cwd) => {
          try {
            return start(slot, { ...command, env }, cwd, { ...parts, run: told });
          } catch (error) {
            told?.failed(error);
            throw error;
          }
        },
        remember: (sessionId, name) => notebook.remember(sessionId, name),
        recall: (sessionId) => notebook.recall(sessionId),
        noticed: (what, detail) => noticed(`slot ${slot.name}: ${what}`, detail),
      });
    },
  };
}

/** Another hall starts the agent, in an environment of its own. */
function behindAnother(slot: SlotConfig, run: FarHallRun, parts: SlotAgentsParts): Means {
  const { clock, onStderr } = parts;
  return {
    environment: () => ({}),
    forget() {},
    spawn: (_cwd, _more, told) =>
      new FarHall({
        slot: slot.name,
        address: showAddress(run.address),
        farSlot: run.slot,
        clock,
        dial: () => enter(run, clock),
        said: (line) => {
          told?.noticed(line);
          onStderr(slot.name, line);
        },
      }),
  };
}

const environmentOf =
  (slot: SlotConfig, { host }: SlotAgentsParts) =>
  (agent: Record<string, string> = {}): Record<string, string> =>
    childEnvironment({ host, inherit: slot.envInherit, slot: slot.env, agent });

/** The one place where a slot's processes begin. */
function start(
  slot: SlotConfig,
  launch: Launch,
  cwd: string,
  parts: SlotAgentsParts & { run: AgentRun | undefined },
): AgentProcess {
  const { clock, ledger, table, shares, sweep, noticed, mask, run } = parts;
  const cwdFrom = cwd === slot.cwd ? "the roster" : "the client";
  // It says nothing before its start was told: what comes from it comes later.
  let story: ProgramStory | undefined;
  const onStderr = (line: string): void => {
    const said = mask(line);
    story?.said(said);
    parts.onStderr(slot.name, said);
    // A cancel ends such a loop without a word to anyone of where it is.
    if (slot.run.kind === "module" && tellsOfLoop(line)) noticed(`slot ${slot.name}: ${said}`);
  };
  const process = spawnAgent(
    { ...launch, slot: slot.name, cwd, cwdFrom },
    {
      clock,
      ledger,
      table,
      ...(shares && { shares }),
      ...(sweep && { sweep }),
      onStderr,
      onKill: () => story?.killed(),
      onTrouble: noticed,
    },
  );
  story = run?.program(process.pid, process.number);
  process.onExit((exit) => story?.exited(exit));
  return process;
}

function waysOf(slot: SlotConfig): Ways {
  const known = slot.run.kind === "agent" ? findKnownAgent(slot.run.id) : undefined;
  const { ways = {}, capabilities, authMethods = [] } = known ?? {};
  // The files that an agent of another hall means are those on that hall's machine, which serves them.
  const unlessElsewhere = slot.run.kind === "hall" ? "off" : "on";
  const lacks = new Set<"resume" | "load">();
  if (ways.load === false) lacks.add("load");
  if (ways.resume === false) lacks.add("resume");
  return {
    fs: slot.fs ?? ways.fs ?? unlessElsewhere,
    terminal: slot.terminal ?? ways.terminal ?? unlessElsewhere,
    // What one session's turn started cannot be told from what another's did.
    cancelTools: slot.isolation === "session" && (slot.cancelTools ?? ways.cancelTools ?? false),
    lacks,
    capabilities: { ...capabilities },
    authMethods: authMethods.map((method): Fields => ({ ...method })),
  };
}
