import type { Scene } from "./scene.ts";

const ENTRIES = [
  { content: "Read what is asked", priority: "high" },
  { content: "Find out what is missing", priority: "high" },
  { content: "Do it", priority: "medium" },
  { content: "Look at it once more", priority: "low" },
] as const;

export const plan: Scene = {
  words: ["plan"],
  does: "a plan, worked through entry by entry",
  async play(turn) {
    await turn.say("Here is a plan. Nothing is behind its entries, but they progress as an agent's do.\n\n");
    const progress = turn.plan(ENTRIES);
    for (const _ of ENTRIES) {
      await turn.rest(10);
      progress.advance();
    }
    await turn.say(
      "All done. An agent sends its plan whole each time, so what you see is always the latest.",
    );
  },
};
