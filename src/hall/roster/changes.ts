import { isDeepStrictEqual } from "node:util";
import { isFields } from "../../acp/checks.ts";
import type { Roster } from "../roster.ts";
import { readDocument } from "./document.ts";
import { isSecret } from "./exposure.ts";
import { fits, type Path, showPath } from "./path.ts";
import { spotOf, type Written } from "./written.ts";

/** One key that is another in the new roster. */
export interface Change {
  /** As `slots.claude.args`. */
  key: string;
  /** As it is written; absent: it is not written, is no single value, or may be a secret. Never a variable's value. */
  was?: string;
  is?: string;
  /** From when on it holds; or, of what needs a restart, why. */
  note: string;
}

/** What a slot's new definition asks for: other processes, or nothing that those that run would notice. */
export type SlotChange = "added" | "removed" | "other processes" | "same processes";

/** What is different in a new roster, as data: nothing is done by it. */
export interface Changes {
  applied: Change[];
  restart: Change[];
  /** By name; a slot that is as it was is not in here. */
  slots: ReadonlyMap<string, SlotChange>;
}

/** More of a text says no more about what became of it. */
const SHOWN_TEXT = 60;

/** Maps that are looked into; everything else is one value. */
const SECTIONS: readonly Path[] = [
  [],
  ["*"],
  ["listen", "tls"],
  ["slots", "*"],
  ["slots", "*", "permission"],
];

const FROM_NOW = "from now on";
const NEW_CONNECTIONS = "for new connections";
const NEXT_QUESTION = "for the next question";
const NEW_PROCESSES =
  "for processes that start from now on; a running turn ends on the definition that it began with";

/** Keys of a slot that the processes that run need not be ended for. Any other key is about them. */
const SAME_PROCESSES: ReadonlyMap<string | number, string> = new Map([
  ["title", FROM_NOW],
  ["description", FROM_NOW],
  ["concurrency", FROM_NOW],
  ["warm", FROM_NOW],
  ["idle_timeout", FROM_NOW],
  ["init_timeout", "for the next start"],
  ["turn_timeout", "for the next turn"],
  ["on_disconnect", FROM_NOW],
  ["on_restart", FROM_NOW],
  ["restore", "for the next start"],
  ["share", FROM_NOW],
  ["permission", NEXT_QUESTION],
]);

/** Why these keys need a restart. */
const RESTART: readonly { path: Path; why: string }[] = [
  { path: ["listen", "tcp"], why: "the port is opened when the hall starts" },
  { path: ["listen", "http"], why: "the port is opened when the hall starts" },
  { path: ["insecure"], why: "it is about the ports, which are opened when the hall starts" },
  { path: ["state"], why: "the hall runs in its state folder, where its sessions and its lock are" },
  { path: ["log", "format"], why: "the log is opened when the hall starts" },
];
const TLS = ["listen", "tls"];
const TLS_WHY =
  "whether the ports speak TLS, and want certificates of clients, is settled when they are opened";

/** Of keys that hold at once, and for more than `FROM_NOW` says. */
const NOTES: readonly { path: Path; note: string }[] = [
  { path: ["listen", "tls", "*"], note: NEW_CONNECTIONS },
  { path: ["trust_loopback"], note: NEW_CONNECTIONS },
  { path: ["limits", "line"], note: "for new connections and processes" },
  { path: ["permission", "*"], note: NEXT_QUESTION },
];

/**
 * What `next` changes of the roster in force. `atStart`: the roster that the hall started with, in which what needs a
 * restart is still written as it is in force.
 */
export function changesBetween(inForce: Roster, next: Roster, atStart: Roster): Changes {
  const written = { was: documentOf(inForce), is: documentOf(next), atStart: documentOf(atStart) };
  const changes = { applied: [] as Change[], restart: [] as Change[], slots: slotChanges(inForce, next) };
  for (const path of differences(inForce.read, next.read)) {
    const why = restartReason(path, inForce, next);
    const was = textAt(why === undefined ? written.was : written.atStart, path);
    const is = textAt(written.is, path);
    const change: Change = {
      key: showPath(path),
      ...(was === undefined ? {} : { was }),
      ...(is === undefined ? {} : { is }),
      note: why ?? noteOn(path, changes.slots),
    };
    (why === undefined ? changes.applied : changes.restart).push(change);
  }
  changes.applied.push(...orderChange(inForce, next));
  return changes;
}

/** The roster that is in force once `next` was taken up: what needs a restart stays as it is. */
export function takenUp(inForce: Roster, next: Roster): Roster {
  const running = inForce.read;
  const isSameTls = speaksAlike(inForce, next);
  const { tcp, http } = inForce.listen;
  return {
    ...next,
    listen: { tcp, http, tls: (isSameTls ? next : inForce).listen.tls },
    state: inForce.state,
    insecure: inForce.insecure,
    log: { ...next.log, format: inForce.log.format },
    read: {
      ...next.read,
      listen: { ...running.listen, tls: (isSameTls ? next.read : running).listen.tls },
      state: running.state,
      insecure: running.insecure,
      log: { ...next.read.log, format: running.log.format },
    },
    // What a process of an earlier definition knows is a secret still.
    secrets: [...new Set([...inForce.secrets, ...next.secrets])].sort(
      (one, other) => other.length - one.length,
    ),
  };
}

function restartReason(path: Path, inForce: Roster, next: Roster): string | undefined {
  const isTls = TLS.every((step, at) => path[at] === step);
  if (isTls) return speaksAlike(inForce, next) ? undefined : TLS_WHY;
  return RESTART.find((one) => fits(path, one.path))?.why;
}

/** Other files of the same kinds: those can be read again while the ports are open. */
function speaksAlike(one: Roster, other: Roster): boolean {
  const [mine, theirs] = [one.listen.tls, other.listen.tls];
  if (!mine || !theirs) return mine === theirs;
  return (mine.clientCa === undefined) === (theirs.clientCa === undefined);
}

function slotChanges(inForce: Roster, next: Roster): Map<string, SlotChange> {
  const changes = new Map<string, SlotChange>();
  for (const path of differences(inForce.read.slots, next.read.slots, ["slots"])) {
    const [, slot, key] = path;
    const name = String(slot);
    if (key === undefined) changes.set(name, Object.hasOwn(next.read.slots, name) ? "added" : "removed");
    else if (!SAME_PROCESSES.has(key)) changes.set(name, "other processes");
    else if (!changes.has(name)) changes.set(name, "same processes");
  }
  // What is for every slot is in each slot's own configuration.
  if (!isDeepStrictEqual(inForce.read.permission, next.read.permission))
    for (const { name } of next.slots) if (!changes.has(name)) changes.set(name, "same processes");
  for (const { name, unavailable } of next.slots) {
    const before = inForce.slots.find((slot) => slot.name === name);
    if (before && before.unavailable !== unavailable) changes.set(name, "other processes");
  }
  return changes;
}

function noteOn(path: Path, slots: ReadonlyMap<string, SlotChange>): string {
  const [top, slot, key] = path;
  if (top !== "slots") return NOTES.find((one) => fits(path, one.path))?.note ?? FROM_NOW;
  if (key !== undefined) return SAME_PROCESSES.get(key) ?? NEW_PROCESSES;
  return slots.get(String(slot)) === "added"
    ? "a new slot"
    : "taken out: its running turns end, and its sessions take no prompt until it is back";
}

/** The order of slots says which is the default, and how menus show them. */
function orderChange(inForce: Roster, next: Roster): Change[] {
  const [before, after] = [inForce, next].map(({ slots }) => slots.map(({ name }) => name));
  if (!before || !after) return [];
  const [was, is] = [before[0], after[0]];
  if (was !== is)
    return [{ key: "slots", ...(was && { was }), ...(is && { is }), note: "the default, from now on" }];
  const stayed = (names: readonly string[], others: readonly string[]) =>
    names.filter((name) => others.includes(name));
  if (isDeepStrictEqual(stayed(before, after), stayed(after, before))) return [];
  return [{ key: "slots", note: "in another order in menus, from now on" }];
}

/** Where two values differ; a map that is looked into is told by its keys. */
function* differences(was: unknown, is: unknown, path: Path = []): Iterable<Path> {
  if (isFields(was) && isFields(is) && SECTIONS.some((section) => fits(path, section))) {
    for (const key of new Set([...Object.keys(was), ...Object.keys(is)]))
      yield* differences(was[key], is[key], [...path, key]);
  } else if (!isDeepStrictEqual(was, is)) yield path;
}

const documentOf = ({ text }: Roster): Written => readDocument(text).root;

function textAt(root: Written, path: Path): string | undefined {
  const { value } = spotOf(root, path);
  if (value?.kind !== "scalar" || value.text === "" || isSecret(path)) return undefined;
  return value.text.length > SHOWN_TEXT ? `${value.text.slice(0, SHOWN_TEXT)}…` : value.text;
}
