import { join } from "node:path";
import { expect } from "vitest";
import { answer } from "../answers.ts";
import { Turn } from "../turn.ts";
import type { Scenario } from "./scenario.ts";

export const twoClients: Scenario = {
  name: "is seen alike by two clients, of which the one that did not prompt answers its question",
  async play(stage) {
    const { client: sender, sessionId } = await stage.join({ echo: true });
    const { client: watcher } = await stage.join({ echo: true });

    const { prompt } = stage.agent.script.act(join(sender.cwd, "seen-by-two.txt"));
    const turn = new Turn(sender, sessionId, prompt);
    const [asked, askedToo] = await Promise.all([turn.asks(), watcher.question()]);
    answer(askedToo, "allow_once");
    await sender.sees(
      ({ method, params }) => method === "$/cancel_request" && Object(params).requestId === asked.id,
    );
    expect(await turn.over).toMatchObject({ stopReason: "end_turn" });

    await watcher.saidMeanwhile();
    const [one, other] = [sender, watcher].map((client) => client.updateBytes(sessionId));
    // An agent may go on with titles and the like: one of them may be a line ahead.
    const common = Math.min(one?.length ?? 0, other?.length ?? 0);
    expect(common).toBeGreaterThan(0);
    expect(one?.subarray(0, common).equals(other?.subarray(0, common) ?? Buffer.of())).toBe(true);
    expect(watcher.texts(sessionId)).toContain(turn.text);
    expect(watcher.userTexts(sessionId)).toContain(prompt);
    return undefined;
  },
};
