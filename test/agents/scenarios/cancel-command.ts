import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, vi } from "vitest";
import type { AcpClient } from "../../doubles/acp-client.ts";
import { answer } from "../answers.ts";
import { canSeeProcesses, runningWith } from "../processes.ts";
import type { RealAgent } from "../real/real-agent.ts";
import type { Stage } from "../stage.ts";
import { Turn } from "../turn.ts";
import { expectToGoOn, type Scenario } from "./scenario.ts";

/** A cancel leaves nothing that runs; that it takes a moment is no failure. */
const PATIENCE = { timeout: 30_000, interval: 20 };

/** Why no command can be run and looked for. */
export function cannotRunCommands({ script }: RealAgent): string | undefined {
  if (!script.run) return "it runs no commands";
  return canSeeProcesses ? undefined : "there is no /proc here";
}

/** Lets the agent run a command that would never end. Answers a text that stands in the command line of all that it started. */
export async function runForever(
  stage: Stage,
  client: AcpClient,
  sessionId: string,
): Promise<{ turn: Turn; trace: string }> {
  const trace = join(client.cwd, "running");
  // In a session of its own, where a signal to the agent's processes does not reach it.
  const command = `touch ${trace}; setsid --wait tail -f ${trace}`;
  const turn = new Turn(client, sessionId, stage.agent.script.run?.(command) ?? "");
  answer(await turn.asks(), "allow_once");
  await vi.waitUntil(() => existsSync(trace) && runningWith(`tail\0-f\0${trace}`).length > 0, PATIENCE);
  return { turn, trace };
}

export const expectNothingLeft = (trace: string): Promise<void> =>
  vi.waitFor(() => expect(runningWith(trace)).toEqual([]), PATIENCE);

export const cancelCommand: Scenario = {
  name: "leaves nothing of a command in which it is cancelled, where its slot says cancel_tools",
  cannot: cannotRunCommands,
  async play(stage) {
    const { client, sessionId } = await stage.join({ slot: stage.tidySlot });
    const { turn, trace } = await runForever(stage, client, sessionId);
    const cancelled = performance.now();
    client.cancel(sessionId);
    expect(await turn.over).toMatchObject({ stopReason: "cancelled" });
    const took = Math.round(performance.now() - cancelled);
    await expectNothingLeft(trace);
    expect(turn.openToolCalls).toEqual([]);
    await expectToGoOn(stage, client, sessionId);
    return `cancelled after ${took} ms`;
  },
};
