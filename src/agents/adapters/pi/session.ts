import type { Fields } from "../../../acp/checks.ts";
import type { Id } from "../../../wire/message.ts";
import type { Opening } from "../opening.ts";
import type { Step } from "../step.ts";
import type { ExtensionQuestion } from "./extension-question.ts";
import type { PiModels } from "./models.ts";
import type { Transcript } from "./transcript.ts";

/** What is done with an answer of pi's; `error`: it refused. */
export type Answered = (data: Fields, error: string | undefined) => Step[];

export interface PiSession {
  readonly opening: Opening;
  readonly program: string;
  readonly args: string[];
  readonly transcript: Transcript;
  readonly models: PiModels;
  commands: Fields[];
  opener: Id | undefined;
  prompt: Id | undefined;
  /** The last message of the run that ended last. */
  last: Fields;
  /** It announced another attempt, which has not begun. */
  retrying: boolean;
  /** This version says itself when a turn is over, and not only when a run is. */
  settles: boolean;
  /** In dollars, of the session since it was opened. */
  cost: number;
  sent: number;
  readonly waiting: Map<string, Answered>;
  readonly questions: Map<string, ExtensionQuestion>;
}
