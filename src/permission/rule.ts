import { type Pattern, parsePattern } from "./pattern.ts";

export const EFFECTS = ["allow", "deny", "ask"] as const;

export type Effect = (typeof EFFECTS)[number];

/** What is to become of certain calls without a question, or with one. */
export interface Rule {
  readonly effect: Effect;
  /** A call has to fit one of them. */
  readonly patterns: readonly Pattern[];
  /** As people read it: `deny: execute(rm *)`. */
  readonly text: string;
}

/** A rule as it is written in a roster. Undefined: that is no pattern. */
export function parseRule(effect: Effect, ...sources: readonly string[]): Rule | undefined {
  const patterns = sources.map(parsePattern).filter((pattern) => pattern !== undefined);
  if (patterns.length === 0 || patterns.length < sources.length) return undefined;
  return { effect, patterns, text: `${effect}: ${sources.join(" or ")}` };
}
