import { HOLE } from "./glob.ts";

/** A text that rules are held against. In it stands a HOLE for what cannot be told yet. */
export interface Subject {
  readonly text: string;
  /** A path: a rule's pattern that is relative means the session's folder. */
  readonly isPath: boolean;
}

/** One of the things that a call does: a command of several, a file that it writes, a place. */
export interface Part {
  /** For people. */
  readonly shown: string;
  /** What it is, under the call's own kind and tool. Undefined: that cannot be told at all. */
  readonly own: Subject | undefined;
  /** By what else a deny or an ask knows it: other spellings of it, what stands within it. Never enough for an allow. */
  readonly aliases: readonly Subject[];
  /** What a shell's redirection does to a file, besides: a rule for that kind of tool is about it too. */
  readonly file?: { readonly kind: "read" | "edit"; readonly subject: Subject };
  /** False: it tells where the call is, not what it does; an allow need not cover it. */
  readonly counts: boolean;
}

const LONGEST_SHOWN = 120;

/** A text as people read it, what cannot be told as `…`. */
export function shown(text: string): string {
  const line = text.replaceAll(HOLE, "…").replaceAll(/\s+/g, " ").trim();
  return line.length > LONGEST_SHOWN ? `${line.slice(0, LONGEST_SHOWN)}…` : line;
}

export const words = (text: string): Subject => ({ text, isPath: false });
export const place = (text: string): Subject => ({ text, isPath: true });

/** Of this nothing can be told: nothing covers it, and whatever denies or asks may be about it. */
export const untold = (what: string): Part => ({ shown: what, own: undefined, aliases: [], counts: true });
