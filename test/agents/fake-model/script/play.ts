import { type Answer, say } from "./answer.ts";
import type { Conversation } from "./conversation.ts";
import { cueOf } from "./cue.ts";
import { SCENES_OF_SPEECH } from "./scenes-of-speech.ts";
import { SCENES_WITH_TOOLS } from "./scenes-with-tools.ts";

/** The answer to a request that offers no tools: agents ask so for a title or a summary, with the prompt in it. */
export const A_TITLE = "A scripted turn";

const SCENES = { ...SCENES_OF_SPEECH, ...SCENES_WITH_TOOLS };

/** These are harmless as a title too, and serve clients that have no tools. */
const WITHOUT_TOOLS = ["text", "say", "think"];

/** What the model answers to a request: the next part of the scene that its last cue names. */
export function play(conversation: Conversation): Answer {
  const cue = cueOf(conversation);
  if (!cue) return { blocks: [say("There is no cue in this conversation.")] };
  if (conversation.tools.length === 0 && !WITHOUT_TOOLS.includes(cue.name)) return { blocks: [say(A_TITLE)] };
  const scene = SCENES[cue.name];
  if (!scene) {
    return {
      blocks: [say(`There is no scene "${cue.name}"; there are: ${Object.keys(SCENES).join(", ")}.`)],
    };
  }
  return scene(cue, conversation);
}
