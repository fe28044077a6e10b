import { pause } from "../ground/clock.ts";
import type { Act, Scenery } from "./act.ts";
import { Flow } from "./flow.ts";
import type { Stage } from "./stage.ts";

const MARGIN = 2;

/** Plays the acts, each behind its caption. */
export async function show(acts: readonly Act[], stage: Stage, scenery: Scenery): Promise<void> {
  for (const [index, act] of acts.entries()) {
    announce(act, index + 1, stage);
    await pause(scenery.clock, scenery.tempo.caption);
    await act.play(scenery);
  }
  stage.write("\n");
}

function announce({ title, caption }: Act, number: number, stage: Stage): void {
  const heading = ` ${number}  ${title} `;
  const rule = "─".repeat(Math.max(0, stage.columns - heading.length));
  stage.write(`\n${stage.styled(["bold", "cyan"], heading)}${stage.styled("dim", rule)}\n`);
  stage.write(" ".repeat(MARGIN));
  const flow = new Flow(stage, MARGIN, "dim");
  flow.push(caption);
  flow.end();
  stage.write("\n");
}
