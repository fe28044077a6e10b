import { expect, vi } from "vitest";
import { allowEverything } from "../answers.ts";
import { canSeeProcesses, markedWith } from "../processes.ts";
import type { Stage } from "../stage.ts";
import { Turn } from "../turn.ts";
import { expectToGoOn, type Scenario } from "./scenario.ts";

const WORD = "Bittern";

export const hallKilled: Scenario = {
  name: "goes on where it was after the hall was killed in the middle of a turn and started again",
  async play(stage) {
    const { repeat, talk, chatter } = stage.agent.script;
    const { client, sessionId } = await stage.join({ echo: true });
    allowEverything(client);
    await new Turn(client, sessionId, repeat?.(WORD) ?? talk.prompt).over;
    const interrupted = new Turn(client, sessionId, chatter);
    await interrupted.speaks();
    const orphans = agentProcesses(stage);

    await stage.hall.kill();
    await client.closed;
    await stage.hall.start();

    const seen = client.updateBytes(sessionId);
    const { client: later } = await stage.join({ echo: true });
    const history = later.updateBytes(sessionId);
    expect(seen.length).toBeGreaterThan(0);
    expect(history.subarray(0, seen.length).equals(seen)).toBe(true);
    await vi.waitFor(() => expect(agentProcesses(stage).filter((pid) => orphans.includes(pid))).toEqual([]), {
      timeout: 20_000,
    });

    const asked = stage.model.exchanges.length;
    await expectToGoOn(stage, later, sessionId);
    const way = stage.hall.wayOf(sessionId);
    if (way === "transcript") {
      // The agent's own memory is gone, and only the hall's is left: a person must be able to see that.
      await later.sees('"hall/bound"');
      if (repeat) expect(toldSince(stage, asked)).toContain(WORD);
    } else if (repeat) {
      // The newest turns may be lost with an agent that writes late; that it remembers is what counts.
      expect(toldSince(stage, asked).split("cue:").length).toBeGreaterThan(2);
    }
    return way && `restored by ${way}`;
  },
};

const agentProcesses = (stage: Stage): number[] => (canSeeProcesses ? markedWith(stage.home) : []);

/** All that the model was told by users, in the first request from that exchange on that offers it tools. */
function toldSince({ model }: Stage, since: number): string {
  const turns = model.exchanges.slice(since).flatMap(({ asked }) => asked?.conversation ?? []);
  const first = turns.find(({ tools }) => tools.length > 0);
  return (first?.messages ?? []).map(({ role, text }) => (role === "user" ? text : "")).join("\n");
}
