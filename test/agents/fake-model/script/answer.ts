import { pieces } from "./pieces.ts";
import type { Call } from "./tool.ts";

/** What the model answers: blocks, one after another; or a failure of the whole request. */
export type Answer = { readonly blocks: readonly Block[] } | { readonly failure: Failure };

export type Block = Passage | { readonly kind: "call"; readonly call: Call };

/** Something said aloud, or thought. */
export interface Passage {
  readonly kind: "text" | "thought";
  readonly beats: readonly Beat[];
}

/** A moment in the streaming of a passage: a piece of its text, a silence of so many milliseconds, a dropped connection. */
export type Beat = { readonly piece: string } | Silence;
export type Silence = { readonly wait: number } | { readonly cut: true };

/** An HTTP error instead of an answer. */
export interface Failure {
  readonly status: number;
  readonly message: string;
}

const streamed = (text: string): Beat[] => pieces(text).map((piece) => ({ piece }));

export const say = (text: string): Block => ({ kind: "text", beats: streamed(text) });
export const think = (text: string): Block => ({ kind: "thought", beats: streamed(text) });

/** The whole text of a passage. */
export const textOf = ({ beats }: Passage): string =>
  beats.map((beat) => ("piece" in beat ? beat.piece : "")).join("");

/** All the text that an answer says aloud. */
export const spoken = (blocks: readonly Block[]): string =>
  blocks.map((block) => (block.kind === "text" ? textOf(block) : "")).join("");

/** The silences of an answer: what a client waits through that did not ask for a stream. */
export const silences = (blocks: readonly Block[]): Silence[] =>
  blocks.flatMap((block) =>
    block.kind === "call" ? [] : block.beats.flatMap((beat) => ("piece" in beat ? [] : [beat])),
  );

export const hasCalls = (blocks: readonly Block[]): boolean => blocks.some((block) => block.kind === "call");
