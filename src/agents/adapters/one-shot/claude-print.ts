import { ClaudeStream } from "../claude-code/stream.ts";
import { turnEnd } from "../claude-code/turn-end.ts";
import { objectIn, strayLine, wordsOf } from "../native-line.ts";
import type { Step } from "../step.ts";
import type { Ending, Output } from "./output.ts";

/** What `claude -p --output-format stream-json` writes: the lines of Claude Code's own protocol, of one turn. */
export class ClaudePrint implements Output {
  ending: Ending | undefined;
  session: string | undefined;
  readonly #stream = new ClaudeStream();

  line(line: string): Step[] {
    const event = objectIn(line);
    if (!event) return [{ log: strayLine(line) }];
    this.session = wordsOf(event, "session_id") ?? this.session;
    if (event.type !== "result") return this.#stream.event(event);
    const { end, steps } = turnEnd(event, this.#stream);
    this.ending = "fail" in end ? end.fail : { ...end.result };
    return steps;
  }
}
