import type { Recording } from "./recording.ts";

/**
 * `deviates`: breaks the protocol, or leaves a client without its answer. `noted`: the protocol allows it, or says
 * nothing of it, and it costs something all the same.
 */
export type Verdict = "ok" | "deviates" | "noted" | "not tried";

export interface Judgement {
  verdict: Verdict;
  /** What the agent did, in a few words; of what was not tried, why not. */
  found: string;
  /** Of what deviates or is noted: what a hall makes of it, one sentence. */
  hall?: string;
  /** How it is mended in the agent, one sentence. */
  advice?: string;
}

/** One thing that an agent is held against. */
export interface Check {
  /** Stable: programs and pages name it. */
  readonly id: string;
  /** What is tried, for people. */
  readonly title: string;
  /** What an agent without faults does. */
  readonly expected: string;
  judge(recording: Recording): Judgement;
}

export const ok = (found: string): Judgement => ({ verdict: "ok", found });
export const notTried = (why: string): Judgement => ({ verdict: "not tried", found: why });
export const deviates = (found: string, hall: string, advice: string): Judgement => ({
  verdict: "deviates",
  found,
  hall,
  advice,
});
export const noted = (found: string, hall: string, advice: string): Judgement => ({
  ...deviates(found, hall, advice),
  verdict: "noted",
});
