import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { agentTranscripts, messagesTo } from "../doubles/agent-transcripts.ts";
import type { Person } from "./person.ts";

/** How often agents got each prompt, by the key that its script names in its first chunk. */
export function timesAsked(transcripts: string, keys: readonly string[]): Map<string, number> {
  const prompts = agentTranscripts(transcripts)
    .flatMap(messagesTo)
    .filter(({ method }) => method === "session/prompt")
    .map(({ params }) => JSON.stringify(params));
  return new Map(keys.map((key) => [key, prompts.filter((prompt) => prompt.includes(`<${key}>`)).length]));
}

/** Nothing was lost, nothing came twice: what a person holds is what the journal holds; what ran, ran once. */
export function settleAccounts(person: Person, state: string, transcripts: string): void {
  expect(person.faults).toEqual([]);
  const journal = readFileSync(join(state, "sessions", person.sessionId, "updates.jsonl"));
  expect(person.held.equals(journal), "what a client holds is what the journal holds").toBe(true);
  const outcomes = new Map(person.outcomes);
  for (const [key, times] of timesAsked(transcripts, [...outcomes.keys()])) {
    const outcome = outcomes.get(key);
    expect(outcome, `${key} has an outcome`).toBeDefined();
    if (outcome === "end_turn") expect(times, `${key} ran once`).toBe(1);
    else expect(times, `${key} ran once at most`).toBeLessThanOrEqual(1);
  }
}
