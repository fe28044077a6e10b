import { A_TEXT } from "../fake-model/script/scenes-of-speech.ts";

/** What a test says to an agent to make it do something. */
export interface Script {
  /** Makes it say a text, without anything else. `says` stands in its answer. */
  readonly talk: { readonly prompt: string; readonly says: string };
  /** Makes it talk for a long while. */
  readonly chatter: string;
  /** Makes it do something that it asks about first. When it was done, the file is there; undefined: it shows nowhere. */
  act(file: string): { readonly prompt: string; readonly leaves: string | undefined };
  /** Makes it run a command, which it asks about first; undefined: it runs none. */
  readonly run?: (command: string) => string;
  /** Makes it say these words; undefined: it does not say what it is told. */
  readonly repeat?: (words: string) => string;
}

const prompt = (cue: string): string => `Please do what the next line says.\ncue: ${cue}`;

/** For agents behind which the fake model plays. */
export const cues: Script = {
  talk: { prompt: prompt("text"), says: A_TEXT },
  chatter: prompt("slow 600"),
  act: (file) => ({ prompt: prompt(`bash echo done > ${file}`), leaves: file }),
  run: (command) => prompt(`bash ${command}`),
  repeat: (words) => prompt(`say ${words}`),
};
