import { expect } from "vitest";
import type { AcpClient } from "../../doubles/acp-client.ts";
import { allowEverything } from "../answers.ts";
import type { RealAgent } from "../real/real-agent.ts";
import type { Stage } from "../stage.ts";
import { Turn } from "../turn.ts";

/** Something that must go well with every agent. */
export interface Scenario {
  /** What is true of the agent behind the hall when it went well. */
  readonly name: string;
  /** Why it cannot be played with this agent, or on this system; undefined: it can. */
  cannot?(agent: RealAgent): string | undefined;
  /** Plays it; answers what is worth a remark in the report. */
  play(stage: Stage): Promise<string | undefined>;
}

/** After whatever happened, the next prompt of the session must be answered as the first one. */
export async function expectToGoOn(stage: Stage, client: AcpClient, sessionId: string): Promise<void> {
  allowEverything(client);
  const turn = new Turn(client, sessionId, stage.agent.script.talk.prompt);
  expect(await turn.over).toMatchObject({ stopReason: "end_turn" });
  expect(turn.text).toContain(stage.agent.script.talk.says);
}
