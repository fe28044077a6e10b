import { say, think } from "./answer.ts";
import { amount, type Scene } from "./scene.ts";

/** What the model says to `cue: text`. */
export const A_TEXT =
  "A streamed answer comes in several pieces, a few words at a time.\n\nThis is its second paragraph: żółw, 🐢, 日本語.";

/** The rhythm of `cue: slow`. */
const SLOW_WORD_MS = 100;
const MOST_WORDS = 10_000;
/** How long `cue: hang` says nothing: longer than anyone waits. */
const HANG_MS = 600_000;
const MOST_KIB = 65_536;
/** 64 bytes: sixteen of them are a KiB. */
const LINE = `${"a line of sixty-four bytes, newline included, again and again".padEnd(63, ".")}\n`;

/** `slow N`: N words, ten a second. */
const slow: Scene = (cue) => ({
  blocks: [
    {
      kind: "text",
      beats: Array.from({ length: amount(cue, 600, MOST_WORDS) }, (_, index) => [
        { piece: `word-${index} ` },
        { wait: SLOW_WORD_MS },
      ]).flat(),
    },
  ],
});

/** Scenes without a tool. */
export const SCENES_OF_SPEECH: Record<string, Scene> = {
  text: () => ({ blocks: [say(A_TEXT)] }),
  say: (cue) => ({ blocks: [say(cue.argument)] }),
  think: () => ({ blocks: [think("First one thought, then another."), say("That was thought through.")] }),
  tools: (_, { tools }) => ({ blocks: [say(tools.map((tool) => tool.name).join(" "))] }),
  slow,
  hang: () => ({ blocks: [{ kind: "text", beats: [{ wait: HANG_MS }, { piece: "Too late." }] }] }),
  big: (cue) => ({ blocks: [say(LINE.repeat(16 * amount(cue, 1024, MOST_KIB)))] }),
  cut: () => ({
    blocks: [{ kind: "text", beats: [{ piece: "This answer breaks off " }, { wait: 20 }, { cut: true }] }],
  }),
  error: (cue) => {
    const status = amount(cue, 500, 599);
    return { failure: { status, message: `The script says to fail with ${status}.` } };
  },
};
