import { dirname, join, resolve } from "node:path";
import { stringify } from "yaml";
import type { TcpAddress } from "./roster/address.ts";
import { type CheckOptions, warningsIn } from "./roster/checks.ts";
import { readDocument } from "./roster/document.ts";
import { secretsOf } from "./roster/exposure.ts";
import { type Fault, RosterError } from "./roster/fault.ts";
import { readRosterFile } from "./roster/file.ts";
import { fill } from "./roster/filling.ts";
import { faultOf } from "./roster/finding.ts";
import { inspect } from "./roster/inspection.ts";
import { samePath, showPath } from "./roster/path.ts";
import { rulesOf } from "./roster/permission-rule.ts";
import { type ReadRoster, rosterSchema } from "./roster/schema.ts";
import { type SlotConfig, slotConfig } from "./roster/slot-config.ts";
import { unavailability } from "./roster/unavailability.ts";
import { spotOf, type Written } from "./roster/written.ts";

export { type Fault, RosterError, showFault } from "./roster/fault.ts";
export type { SlotConfig, SlotRun } from "./roster/slot-config.ts";

/** What a hall is to be: its slots, and how it runs. */
export interface Roster {
  /** Absolute. */
  file: string;
  /** The file's folder: relative paths in the roster mean it. */
  folder: string;
  listen: {
    /** undefined: no TCP. */
    tcp: TcpAddress | undefined;
    /** undefined: no HTTP and no WebSocket. */
    http: TcpAddress | undefined;
    /** For both. Files, absolute. */
    tls: TlsFiles | undefined;
  };
  /** Who may come in from outside: a file, absolute, which need not be there. */
  tokensFile: string;
  /** Origins of web pages, and host names, that `http` takes beside its own address. */
  http: { origins: string[]; hosts: string[] };
  /** The hall's own folder, absolute. */
  state: string;
  durability: "process" | "power";
  trustLoopback: boolean;
  /** Listens beyond loopback, without TLS. */
  insecure: boolean;
  /** At least one, in the order of the file; the first is the default. */
  slots: SlotConfig[];
  /** ms between the steps of the ladder; 0: only the first. */
  cancelGrace: number;
  /** Prompts that may wait in a session. */
  queueLimit: number;
  limits: {
    /** Bytes of the longest line, in both directions. */
    line: number;
    processes: number;
    sessions: number;
    clients: number;
    /** Agent processes that may be starting at once. */
    startConcurrency: number;
  };
  /** It is reloaded when its file changes. */
  watch: boolean;
  /** A hall that an editor started runs on when nobody needs it. */
  keep: boolean;
  log: {
    level: LogLevel;
    /** undefined: pretty on a terminal, json otherwise. */
    format: "pretty" | "json" | undefined;
  };
  /** What works, and may not be what was meant. */
  warnings: Fault[];
  /** Values that must not be shown: of `env`, of variables, of MCP env and headers. The longest first. */
  secrets: string[];
  /** The file as it was read. */
  text: string;
  /** Every key that the file may have, with its value: what two rosters are compared by. Never shown. */
  read: ReadRoster;
}

export type LogLevel = "trace" | "debug" | "info" | "warn" | "error" | "fatal";

/** Files in PEM format. */
export interface TlsFiles {
  cert: string;
  key: string;
  /** With it every client must show a certificate that hangs on these. */
  clientCa: string | undefined;
}

export type RosterOptions = CheckOptions;

/** Reads a roster that this user may trust. Throws RosterError, with all that is wrong. */
export function readRoster(file: string, env: NodeJS.ProcessEnv, options: RosterOptions = {}): Roster {
  const path = resolve(file);
  return parseRoster(readRosterFile(path), path, env, options);
}

/** A roster from values with the keys of the file, as if they had been written there. Throws RosterError. */
export function rosterOf(
  values: object,
  { folder, env = {}, ...options }: RosterOptions & { folder: string; env?: NodeJS.ProcessEnv },
): Roster {
  return parseRoster(
    stringify(values, { version: "1.2", aliasDuplicateObjects: false }),
    join(folder, "hall.yml"),
    env,
    options,
  );
}

/** Throws RosterError, with all that is wrong, in the order of the file. */
export function parseRoster(
  text: string,
  file: string,
  env: NodeJS.ProcessEnv,
  options: RosterOptions = {},
): Roster {
  const path = resolve(file);
  const { root, faults, broken } = readDocument(text);
  const wrong = faults.map(
    ({ at, path: inner, message }): Fault => ({ file: path, ...at, path: showPath(inner), message }),
  );
  if (broken) throw new RosterError(inOrder(wrong));

  const filled = fill(root, env);
  const { findings, unknown } = inspect(filled, options);
  wrong.push(...findings.map((finding) => faultOf(finding, path, root)));
  if (wrong.length > 0) throw new RosterError(inOrder(wrong));

  const known = fill(root, env, (inner) => unknown.some((key) => samePath(key, inner)));
  const warnings = [...filled.warnings, ...warningsIn(filled.value)];
  const read = rosterSchema.parse(known.value);
  return {
    file: path,
    folder: dirname(path),
    read,
    ...assembled(read, dirname(path), root, unavailability(filled.unset, root)),
    warnings: inOrder(warnings.map((finding) => faultOf(finding, path, root))),
    secrets: secretsOf(filled.secrets),
    text,
  };
}

type Assembled = Omit<Roster, "file" | "folder" | "read" | "warnings" | "secrets" | "text">;

function assembled(
  read: ReadRoster,
  folder: string,
  root: Written,
  unavailable: ReadonlyMap<string, string>,
): Assembled {
  const { line, processes, sessions, clients, start_concurrency: startConcurrency } = read.limits;
  return {
    listen: { tcp: read.listen.tcp, http: read.listen.http, tls: tlsFiles(read.listen.tls, folder) },
    tokensFile: resolve(folder, read.tokens_file),
    http: read.http,
    state: resolve(folder, read.state),
    durability: read.durability,
    trustLoopback: read.trust_loopback,
    insecure: read.insecure && read.listen.tls === undefined,
    slots: slotNames(root).flatMap((name) => {
      const slot = read.slots[name];
      const around = {
        folder,
        permissionTimeout: read.permission.timeout,
        permissionRules: rulesOf(read.permission.rules),
        unavailable: unavailable.get(name),
      };
      return slot ? [slotConfig(name, slot, around)] : [];
    }),
    cancelGrace: read.cancel_grace,
    queueLimit: read.queue.limit,
    limits: { line, processes, sessions, clients, startConcurrency },
    watch: read.watch,
    keep: read.keep,
    log: { level: read.log.level, format: read.log.format },
  };
}

function tlsFiles(tls: ReadRoster["listen"]["tls"], folder: string): TlsFiles | undefined {
  if (!tls) return undefined;
  const { cert, key, client_ca: clientCa } = tls;
  return {
    cert: resolve(folder, cert),
    key: resolve(folder, key),
    clientCa: clientCa === undefined ? undefined : resolve(folder, clientCa),
  };
}

/** In the order of the file, which an object would lose for names that are numbers. */
function slotNames(root: Written): string[] {
  const { value } = spotOf(root, ["slots"]);
  return value?.kind === "map" ? [...value.entries.keys()] : [];
}

const inOrder = (faults: readonly Fault[]): Fault[] =>
  faults.toSorted(
    (one, other) => (one.line ?? 0) - (other.line ?? 0) || (one.column ?? 0) - (other.column ?? 0),
  );
