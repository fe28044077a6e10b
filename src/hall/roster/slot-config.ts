import { resolve } from "node:path";
import type { AdapterName, PresetName } from "../../agents/adapters/names.ts";
import { isFar, type Launcher, launcherOf } from "../../agents/launcher.ts";
import { type HallAddress, readHallAddress } from "../../bridge/hall-address.ts";
import type { Rule } from "../../permission/rule.ts";
import type { PathPair } from "../path-map.ts";
import type { Service } from "./choice.ts";
import { type McpServer, mcpServerOf } from "./mcp-server.ts";
import { rulesOf } from "./permission-rule.ts";
import type { ReadSlot } from "./schema.ts";
import { leadingNumber } from "./slot-name.ts";

/** One way to run an agent, as the roster has it. */
export interface SlotConfig {
  name: string;
  /** For menus; the name if the roster says nothing. */
  title: string;
  description?: string;
  run: SlotRun;
  /** Added to what `run` starts. */
  args: string[];
  env: Record<string, string>;
  /** Names of variables that the agent gets from the hall's environment, beside the safe base. */
  envInherit: string[];
  /** What is put in front of its program. */
  launch: Launcher | undefined;
  /** Absolute: for clients that name none. The agent's path of it. */
  cwd: string;
  /** False: the agent runs elsewhere, and the roster does not say in which folder there. */
  namesCwd: boolean;
  /** What paths are called at the client, and at the agent. Absolute. */
  cwdMap: readonly PathPair[];
  /** Turns at once; the number that the slot's name begins with, if it does. */
  concurrency: number;
  /** ms; undefined: never. */
  idleTimeout: number | undefined;
  /** ms */
  initTimeout: number;
  /** ms for which an agent may be silent in a turn; undefined: for ever. */
  turnTimeout: number | undefined;
  /** Whose an agent process is: one session's, or that of all sessions of the slot. */
  isolation: "session" | "slot";
  /** Processes that are kept started and initialised for sessions to come. */
  warm: number;
  onDisconnect: "keep" | "cancel";
  onRestart: "run" | "drop";
  clientCapabilities: Record<string, unknown>;
  /** undefined: as is known of the agent. */
  cancelTools: boolean | undefined;
  restore: "transcript" | "fresh";
  /** All who may use the slot see the sessions in it. */
  share: boolean;
  mcpServers: McpServer[];
  /** Absolute. Where sessions are kept to; empty: anywhere. */
  roots: string[];
  /** MCP servers that clients may bring; empty: any. */
  mcpTrust: McpServer[];
  /** undefined: as is known of the agent. */
  fs: Service | undefined;
  /** undefined: as is known of the agent. */
  terminal: Service | undefined;
  /** ms; undefined: never. */
  permissionTimeout: number | undefined;
  /** In the order in which they are tried: the slot's own, then those of all slots. */
  permissionRules: Rule[];
  /**
   * Why the slot cannot be used: one sentence. What hangs on variables that are not set then stands in here as it is
   * written, or as its default.
   */
  unavailable?: string;
}

export type SlotRun =
  | { kind: "command"; command: string[] }
  | { kind: "agent"; id: string }
  | { kind: "adapter"; adapter: AdapterName; command: string[] | undefined; oneShot: OneShotConfig }
  | { kind: "module"; file: string }
  | { kind: "demo" }
  | FarHallRun;

/** Another hall, and how we come in there. */
export interface FarHallRun {
  kind: "hall";
  address: HallAddress;
  /** Its slot; undefined: its first. */
  slot: string | undefined;
  /** To be shown there: the token, or an absolute file with it. */
  token: string | undefined;
  tokenFile: string | undefined;
  /** Absolute files in PEM format. */
  tls: { ca: string | undefined; cert: string | undefined; key: string | undefined };
}

/** How a one-shot command is run and read; other adapters make nothing of it. */
export interface OneShotConfig {
  preset: PresetName | undefined;
  output: "text" | "jsonl";
  resumeArgs: string[] | undefined;
}

/** What a slot takes from around it. */
export interface SlotSurroundings {
  /** The roster's folder. */
  folder: string;
  /** ms; undefined: never. For slots that do not say it themselves. */
  permissionTimeout: number | undefined;
  /** For all slots. */
  permissionRules: readonly Rule[];
  unavailable: string | undefined;
}

export function slotConfig(name: string, read: ReadSlot, around: SlotSurroundings): SlotConfig {
  const launch = launchIn(read, around.folder);
  return {
    name,
    title: read.title ?? name,
    ...(read.description === undefined ? {} : { description: read.description }),
    run: runOf(read, around.folder),
    args: read.args,
    env: read.env,
    envInherit: read.env_inherit,
    launch,
    cwd: resolve(around.folder, read.cwd ?? "."),
    namesCwd: read.cwd !== undefined || !isFar(launch),
    cwdMap: read.cwd_map,
    concurrency: leadingNumber(name) ?? read.concurrency,
    idleTimeout: read.idle_timeout,
    initTimeout: read.init_timeout,
    turnTimeout: read.turn_timeout,
    isolation: read.isolation,
    warm: read.warm,
    onDisconnect: read.on_disconnect,
    onRestart: read.on_restart,
    clientCapabilities: read.client_capabilities,
    cancelTools: read.cancel_tools,
    restore: read.restore,
    share: read.share,
    mcpServers: read.mcp_servers.map(mcpServerOf),
    roots: read.roots.map((root) => resolve(around.folder, root)),
    mcpTrust: read.mcp_trust.map(mcpServerOf),
    fs: read.fs,
    terminal: read.terminal,
    permissionTimeout: "timeout" in read.permission ? read.permission.timeout : around.permissionTimeout,
    permissionRules: [...rulesOf(read.permission.rules), ...around.permissionRules],
    ...(around.unavailable === undefined ? {} : { unavailable: around.unavailable }),
  };
}

function launchIn({ launch, launch_kind: kind }: ReadSlot, folder: string): Launcher | undefined {
  return launch.length === 0 ? undefined : launcherOf(launch, kind, folder);
}

/** The checks have made sure that there is exactly one way. */
function runOf(read: ReadSlot, folder: string): SlotRun {
  const { command, agent, adapter, module, hall, preset, output, resume_args: resumeArgs } = read;
  if (hall !== undefined) return farHallRun(hall, read, folder);
  if (adapter !== undefined) {
    return { kind: "adapter", adapter, command, oneShot: { preset, output, resumeArgs } };
  }
  if (command !== undefined) return { kind: "command", command };
  if (module !== undefined) return { kind: "module", file: resolve(folder, module) };
  return agent === undefined ? { kind: "demo" } : { kind: "agent", id: agent };
}

function farHallRun(hall: string, { slot, token, token_file, tls }: ReadSlot, folder: string): FarHallRun {
  const within = (file: string | undefined): string | undefined =>
    file === undefined ? undefined : resolve(folder, file);
  const address = readHallAddress(hall, folder);
  return {
    kind: "hall",
    // Only a socket's path can be wrong still: it is too long behind this folder, and so is nobody's.
    address: typeof address === "string" ? { path: resolve(folder, hall.slice("unix:".length)) } : address,
    slot,
    token: token?.trim() || undefined,
    tokenFile: within(token_file),
    tls: { ca: within(tls.ca), cert: within(tls.cert), key: within(tls.key) },
  };
}
