import type { ErrorBody } from "../../../wire/message.ts";
import type { Step } from "../step.ts";

/** How a turn ended, as the program said: a stop reason, or what went wrong. */
export type Ending = { stopReason: string } | ErrorBody;

/** What the child of one turn says, line by line. */
export interface Output {
  line(line: string): Step[];
  /** Undefined: it said nothing of its end, and its exit code tells. */
  readonly ending: Ending | undefined;
  /** What it calls the session, if it said so. */
  readonly session: string | undefined;
}
