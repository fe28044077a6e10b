import { expect } from "vitest";
import { allowEverything } from "../answers.ts";
import { Turn } from "../turn.ts";
import type { Scenario } from "./scenario.ts";

export const twoPrompts: Scenario = {
  name: "answers two prompts that come at once, one after the other",
  async play(stage) {
    const { repeat, talk } = stage.agent.script;
    const words = repeat ? ["Heron", "Kingfisher"] : [talk.says, talk.says];
    const [firstPrompt = "", secondPrompt = ""] = words.map((word) => repeat?.(word) ?? talk.prompt);
    const [firstWord = "", secondWord = ""] = words;

    const { client, sessionId } = await stage.join();
    allowEverything(client);
    const first = new Turn(client, sessionId, firstPrompt);
    const second = new Turn(client, sessionId, secondPrompt);
    expect(await Promise.all([first.over, second.over])).toMatchObject([
      { stopReason: "end_turn" },
      { stopReason: "end_turn" },
    ]);

    expect(first.answeredAt).toBeLessThan(second.answeredAt);
    expect(first.text).toContain(firstWord);
    if (repeat) expect(first.text).not.toContain(secondWord);
    expect(client.texts(sessionId, first.answeredAt)).toContain(secondWord);
    return undefined;
  },
};
