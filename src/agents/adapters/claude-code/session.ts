import type { Fields } from "../../../acp/checks.ts";
import type { Id } from "../../../wire/message.ts";
import type { Opening } from "../opening.ts";
import type { Step } from "../step.ts";
import type { Offers } from "./offers.ts";
import type { ToolQuestion } from "./question.ts";
import type { ClaudeStream } from "./stream.ts";

/** What is done with the answer to a control request; `error`: it was refused. */
export type Answered = (answer: Fields, error: string | undefined) => Step[];

export interface ClaudeSession {
  readonly opening: Opening;
  readonly program: string;
  readonly args: string[];
  readonly stream: ClaudeStream;
  readonly offers: Offers;
  /** The request that opens the session, until it is answered. */
  opener: Id | undefined;
  /** The prompt that waits for its result. */
  prompt: Id | undefined;
  /** A turn that it began by itself, when work in the background was done: its result is no prompt's. */
  ownTurn: boolean;
  controls: number;
  /** Our control requests that wait. */
  readonly waiting: Map<string, Answered>;
  readonly questions: Map<string, ToolQuestion>;
}
