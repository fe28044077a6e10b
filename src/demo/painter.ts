import type { Fields } from "../acp/checks.ts";
import { kindOf } from "../acp/updates.ts";
import { textOf } from "./chunk.ts";
import type { Choice, Question } from "./person.ts";
import { PlanBoard } from "./plan-board.ts";
import type { Stage } from "./stage.ts";
import { ToolBoard } from "./tool-board.ts";
import type { Transcript } from "./transcript.ts";

/** Shows what a client sees of a session. */
export class Painter {
  readonly #transcript: Transcript;
  readonly #stage: Stage;
  readonly #tools: ToolBoard;
  #plan: PlanBoard;

  constructor(stage: Stage, transcript: Transcript) {
    this.#stage = stage;
    this.#transcript = transcript;
    this.#plan = new PlanBoard(stage, transcript);
    this.#tools = new ToolBoard(transcript);
  }

  update(update: Fields): void {
    switch (kindOf(update)) {
      case "user_message_chunk":
        this.#transcript.say("you", textOf(update));
        break;
      case "agent_message_chunk":
        this.#transcript.say("agent", textOf(update));
        break;
      case "agent_thought_chunk":
        this.#transcript.say("thought", textOf(update));
        break;
      case "plan":
        this.#plan.show(update);
        break;
      case "tool_call":
      case "tool_call_update":
        this.#tools.show(update);
        break;
      // Commands, modes and what else an editor has menus for.
      default:
    }
  }

  /** A turn is over, for this reason. */
  ended(stopReason: string): void {
    this.#transcript.lines("end", [stopReason]);
    this.#plan = new PlanBoard(this.#stage, this.#transcript);
  }

  /** What happens beside the conversation. */
  note(text: string): void {
    this.#transcript.pause();
    this.#transcript.say("note", text);
    this.#transcript.pause();
  }

  asked({ toolCallId, options }: Question, keys: readonly string[]): void {
    const offers = options.map(({ name }, index) => {
      const key = keys[index];
      return key === undefined ? name : `[${key}] ${name}`;
    });
    this.#transcript.lines("asks", [`Allow “${this.#tools.title(toolCallId)}”?`, offers.join("    ")]);
  }

  answered(choice: Choice): void {
    this.#transcript.lines("you", [choice.words]);
  }

  /** From here on it is history, or it is happening. */
  set isPast(isPast: boolean) {
    this.#transcript.pause();
    this.#transcript.isPast = isPast;
  }
}
