import { expect } from "vitest";
import { markedWith, runningWith, variableOf } from "../processes.ts";
import { cannotRunCommands, expectNothingLeft, runForever } from "./cancel-command.ts";
import { expectToGoOn, type Scenario } from "./scenario.ts";

const MARK = "HALL_PROCESS";

/** All processes of the agent that runs this command, the command's own not among them. */
function agentOf(trace: string): number[] {
  const commands = runningWith(trace);
  const mark = commands.map((pid) => variableOf(pid, MARK)).find((found) => found !== undefined);
  expect(mark, "the agent hands the hall's mark on to its commands").toBeDefined();
  return markedWith(`${MARK}=${mark}\0`).filter((pid) => !commands.includes(pid));
}

export const frozen: Scenario = {
  name: "is ended with all that it started when it heeds no cancel, and goes on from a new process",
  cannot: cannotRunCommands,
  async play(stage) {
    const { client, sessionId } = await stage.join();
    const { turn, trace } = await runForever(stage, client, sessionId);
    const agent = agentOf(trace);
    expect(agent.length).toBeGreaterThan(0);
    // A stopped process is the extreme of one that hangs: no message and no signal but SIGKILL gets through to it.
    for (const pid of agent) process.kill(pid, "SIGSTOP");
    const cancelled = performance.now();
    client.cancel(sessionId);
    expect(await turn.over).toMatchObject({ stopReason: "cancelled" });
    const took = ((performance.now() - cancelled) / 1000).toFixed(1);
    await expectNothingLeft(trace);
    expect(turn.openToolCalls).toEqual([]);
    await expectToGoOn(stage, client, sessionId);
    return `cancelled after ${took} s, restored by ${stage.hall.wayOf(sessionId)}`;
  },
};
