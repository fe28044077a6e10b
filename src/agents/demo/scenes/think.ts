import type { Scene } from "./scene.ts";

export const think: Scene = {
  words: ["think"],
  does: "thoughts, which clients show apart from what is said",
  async play(turn) {
    await turn.think("What would one think about here? ");
    await turn.rest(6);
    await turn.think("Perhaps about thinking: it costs a script nothing, and it proves nothing either. ");
    await turn.rest(6);
    await turn.think("Then again, it is a good place to be honest. ");
    await turn.say("I thought for a moment. What I thought came as thoughts; this comes as my answer.");
  },
};
