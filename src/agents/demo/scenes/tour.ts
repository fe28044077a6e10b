import { lookAround } from "./look-around.ts";
import { listed, type Scene } from "./scene.ts";

export const tour: Scene = {
  words: ["tour"],
  does: "a bit of everything",
  async play(turn, programme) {
    await turn.think("Somebody new. Best to show how a turn goes: some words, a plan, a tool, a question. ");
    await turn.say(
      "Hello! I am the demo agent of hall. There is no model behind me and I cannot write code: " +
        "I play a few scenes, so that you can see how an agent looks from here.\n\n",
    );
    const plan = turn.plan([
      { content: "Say hello", priority: "high" },
      { content: "Look into your folder, if I may", priority: "medium" },
      { content: "Say what else to try", priority: "low" },
    ]);
    await turn.rest(6);
    plan.advance();
    await turn.say(
      "A real agent reads and runs things. I can do one harmless thing, and I ask before it.\n\n",
    );
    await lookAround(turn);
    plan.advance();
    await turn.say(`That was the tour. Say one of these words to see more:\n\n${listed(programme)}\n\n`);
    plan.advance();
  },
};
