import { HandClock } from "../../src/ground/clock.ts";
import { Recording } from "../../src/trial/recording.ts";
import { type Outcome, Trial } from "../../src/trial/trial.ts";
import { type Fault, FaultyAgent, Home } from "./faulty-agent.ts";

export interface Tried {
  outcomes: Outcome[];
  recording: Recording;
  /** What is not as it should be: `id: verdict`. */
  wrong: string[];
}

/** A whole trial of an agent in this process. No time passes but that of its clock. */
export async function tryOut(faults: readonly Fault[], { speaks = true } = {}): Promise<Tried> {
  const clock = new HandClock(0);
  const recording = new Recording(clock);
  const home = new Home();
  const trial = new Trial({
    clock,
    recording,
    patience: { answer: 20_000, cancel: 5_000 },
    prompts: speaks ? { talk: "talk", long: "long", tool: "tool" } : undefined,
    cwd: "/work",
    lineLimit: 2 ** 20,
    askingMode: undefined,
    clientInfo: { name: "hall", version: "0" },
    spawn: () => new FaultyAgent(faults, home, clock),
    commandOf: (identity) => (identity === "5@command" ? "timeout 60 tail -f /dev/null" : identity),
  });
  let over = false;
  const run = trial.run().finally(() => {
    over = true;
  });
  // What was sent has arrived before the hands move on.
  while (!over) {
    await new Promise(setImmediate);
    if (!over) clock.advance(50);
  }
  const outcomes = await run;
  const wrong = outcomes
    .filter(({ verdict }) => verdict === "deviates" || verdict === "noted")
    .map(({ id, verdict }) => `${id}: ${verdict}`);
  return { outcomes, recording, wrong };
}
