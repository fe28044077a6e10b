import { existsSync } from "node:fs";
import { childEnvironment } from "../../agents/environment.ts";
import type { KnownAgent } from "../../agents/known-agent.ts";
import { isFar } from "../../agents/launcher.ts";
import { findKnownAgent } from "../../agents/registry.ts";
import type { Roster, SlotConfig } from "../../hall/roster.ts";
import { checkSlot, type SlotCheck } from "../slot-check.ts";
import { isLoggedIn, keysOf } from "./credentials.ts";
import { type Finding, Findings } from "./finding.ts";
import { isInNpxCache, versionBehind } from "./installed-package.ts";

/** What can be known of a slot's agent without starting it. */
export interface SlotState {
  slot: SlotConfig;
  check: SlotCheck;
  /** Of a known agent that is installed: which version, and which the hall was tried with. */
  installed: { version: string; tried: string } | undefined;
  /** It is fetched at its first start, and is not there yet. */
  isToBeFetched: boolean;
  /** Undefined: that cannot be told from here. */
  loggedIn: boolean | undefined;
  /** Variables that it takes a key from. */
  keys: readonly string[];
  /** Those of `roots` that are not there. */
  missingRoots: readonly string[];
}

export const slotStates = ({ slots, folder }: Roster, env = process.env): SlotState[] =>
  slots.map((slot) => slotState(slot, folder, env));

function slotState(slot: SlotConfig, folder: string, env: NodeJS.ProcessEnv): SlotState {
  const check = checkSlot(slot, folder, env);
  const { run, envInherit, env: own } = slot;
  const environment = childEnvironment({ host: env, inherit: envInherit, slot: own });
  const known = run.kind === "agent" ? findKnownAgent(run.id) : undefined;
  const far = isFar(slot.launch);
  return {
    slot,
    check,
    installed: known && !far ? installedOf(known, check) : undefined,
    isToBeFetched: !far && known !== undefined && isToBeFetched(known, check, environment),
    loggedIn: far
      ? undefined
      : isLoggedIn({ run: known ? { kind: "agent", id: known.id } : run, environment }),
    keys: keysOf(known ? { kind: "agent", id: known.id } : run),
    missingRoots: far ? [] : slot.roots.filter((root) => !existsSync(root)),
  };
}

function installedOf({ from }: KnownAgent, { program, fetches }: SlotCheck): SlotState["installed"] {
  if (from.runner !== "npx" || program === undefined || fetches !== undefined) return undefined;
  const version = versionBehind(program, from.package);
  return version === undefined ? undefined : { version, tried: from.version };
}

const isToBeFetched = (
  { from }: KnownAgent,
  { fetches }: SlotCheck,
  environment: Readonly<Record<string, string>>,
): boolean =>
  fetches !== undefined && !(from.runner === "npx" && isInNpxCache(environment, from.package, from.version));

/** A download, and a start. */
const TIME_TO_FETCH_MS = 180_000;

export function slotFindings({
  slot,
  check,
  installed,
  isToBeFetched: fetch,
  loggedIn,
  keys,
  missingRoots,
}: SlotState): Finding[] {
  const { name } = slot;
  const findings = new Findings("slot", name);
  const broken = check.unavailable ?? check.problem;
  if (broken !== undefined) return findings.fault(...inTwo(broken)).all;
  for (const root of missingRoots)
    findings.fault(`Its root ${root} is not there, so no session can be opened in it.`, `mkdir -p ${root}`);
  for (const variable of check.unset ?? [])
    findings.warning(
      `${variable}, which env_inherit names, is not set here; the hall's own environment may have it.`,
      `export ${variable}=… before hall serve, or take it out of env_inherit.`,
    );
  if (installed && installed.version !== installed.tried)
    findings.warning(
      `Version ${installed.version} of its agent is installed, and hall was tried with ${installed.tried}.`,
      `Nothing, if it works; hall try ${name} tells. Otherwise: ${installing(slot)}`,
    );
  if (fetch) {
    const slow = slot.initTimeout < TIME_TO_FETCH_MS;
    findings.warning(
      `Its first start fetches ${check.fetches}${slow ? `, and has only ${slot.initTimeout / 1000} s for it` : ""}.`,
      `${installing(slot)}${slow ? `, or init_timeout: 3m in slot ${name}` : ""}`,
    );
  }
  if (loggedIn === false)
    findings.warning(
      `Its agent has neither a key nor a login here.`,
      `hall login ${name}, or a key: env_inherit: [${keys[0] ?? "…"}] in the slot.`,
    );
  return findings.elseOk(okOf(check, loggedIn)).all;
}

/** The command that installs its agent, so that nothing has to be fetched. */
function installing({ run }: SlotConfig): string {
  const from = run.kind === "agent" ? findKnownAgent(run.id)?.from : undefined;
  if (from?.runner === "npx") return `npm install -g ${from.package}@${from.version}`;
  return from?.runner === "uvx" ? `uv tool install ${from.package}==${from.version}` : "Install it.";
}

const okOf = ({ program = "", fetches, hall }: SlotCheck, loggedIn: boolean | undefined): string =>
  hall === undefined ? startedBy(program, fetches, loggedIn) : `the hall at ${hall}`;

const startedBy = (program: string, fetches: string | undefined, loggedIn: boolean | undefined): string =>
  `${program}${fetches === undefined ? "" : `, by ${fetches}`}${loggedIn ? ", with a key or a login" : ""}`;

/** Our own sentences on what is missing say after a semicolon what to do. */
function inTwo(sentence: string): [message: string, fix: string] {
  const at = sentence.lastIndexOf("; ");
  if (at === -1) return [sentence, "hall check says more."];
  const todo = sentence.slice(at + 2);
  return [`${sentence.slice(0, at)}.`, `${todo.charAt(0).toUpperCase()}${todo.slice(1)}`];
}
