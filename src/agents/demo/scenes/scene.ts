import type { Turn } from "../turn.ts";

/** One thing that the demo agent can show. */
export interface Scene {
  /** The words of a prompt that ask for it. */
  words: readonly [string, ...string[]];
  /** What it shows, to be read behind one of its words. */
  does: string;
  /** What may stand behind the word. */
  hint?: string;
  /** Plays it; `programme` are all scenes that can be asked for. */
  play(turn: Turn, programme: readonly Scene[]): Promise<void>;
}

/** The programme, to be said: one line a scene. */
export const listed = (programme: readonly Scene[]): string =>
  programme
    .map(({ words, does }) => `- ${words.map((word) => `\`${word}\``).join(" or ")}: ${does}`)
    .join("\n");
