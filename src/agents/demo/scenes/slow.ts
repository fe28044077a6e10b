import type { Scene } from "./scene.ts";

const USUAL = 300;
const MOST = 10_000;

export const slow: Scene = {
  words: ["slow"],
  does: "counts for a while, so that there is something to cancel",
  hint: "how far to count",
  async play(turn) {
    const end = howFar(turn.prompt.text);
    await turn.say(`Counting to ${end}. Cancel me whenever you like.\n\n`);
    for (let number = 1; number <= end; number += 1) await turn.say(`${number} `);
    await turn.say(`\n\nThat was ${end}, and nobody stopped me.`);
  },
};

/** The first number of a prompt, within reason. */
function howFar(prompt: string): number {
  const [written] = /\d+/.exec(prompt) ?? [];
  return written === undefined ? USUAL : Math.min(Math.max(Number(written), 1), MOST);
}
