import type { ErrorBody } from "../wire/message.ts";

const LONGEST = 120;

/** A text as part of a sentence: one line, and not endless. */
export function quoted(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return JSON.stringify(line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line);
}

export const inWords = (error: ErrorBody): string => `${error.code} ${quoted(error.message)}`;

/** Milliseconds: `340 ms`, `4.2 s`. */
export const span = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`);

/** `1 update`, `3 updates`. */
export const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;

/** The first few of a list, and how many more. */
export function few(names: readonly string[], most = 3): string {
  const shown = names.slice(0, most).join(", ");
  return names.length > most ? `${shown} and ${names.length - most} more` : shown;
}
