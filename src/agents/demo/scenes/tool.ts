import { lookAround } from "./look-around.ts";
import type { Scene } from "./scene.ts";

export const tool: Scene = {
  words: ["tool", "ask"],
  does: "a tool call that really lists your folder, once you allow it",
  async play(turn) {
    await turn.say("I would like to list your folder.\n\n");
    await lookAround(turn);
    await turn.say("In the mode “accept” I do not ask; the mode is yours to choose.");
  },
};
