import { listed, type Scene } from "./scene.ts";

/** Characters of a prompt that are said back. */
const SAID_BACK = 400;

/** What is played when no word of a prompt names a scene. */
export const echo: Scene = {
  words: ["echo"],
  does: "says back what you say",
  async play(turn, programme) {
    const { text, attachments } = turn.prompt;
    await turn.say(text.trim() === "" ? "You said nothing.\n\n" : `You said: “${clipped(text.trim())}”\n\n`);
    if (attachments > 0) await turn.say("I cannot read what came with it.\n\n");
    await turn.say(
      "I am the demo agent of hall and have no model, so that is as far as I can follow. " +
        `These words I know:\n\n${listed(programme)}`,
    );
  },
};

function clipped(text: string): string {
  const characters = [...text];
  return characters.length > SAID_BACK ? `${characters.slice(0, SAID_BACK).join("")}…` : text;
}
