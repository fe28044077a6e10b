import { isFields } from "../../acp/checks.ts";
import type { Cancel } from "../../ground/clock.ts";
import type { Reply } from "../../wire/peer.ts";
import type { Audience } from "./audience.ts";
import type { Mode } from "./modes.ts";
import type { Pace } from "./pace.ts";
import { Plan, type PlanEntry } from "./plan.ts";
import type { Prompt } from "./prompt.ts";
import type { Scene } from "./scenes/scene.ts";
import { type Tool, ToolCall } from "./tool-call.ts";

/** How a turn that did not fail ended, in ACP's words. */
export type StopReason = "end_turn" | "cancelled";

/** Where a turn is played, and what it was asked. */
export interface TurnParts {
  prompt: Prompt;
  cwd: string;
  audience: Audience;
  pace: Pace;
  /** The session's mode, at each moment. */
  mode(): Mode;
}

/**
 * One prompt and what follows from it: the instrument that scenes play on. Whatever a scene waits for is given
 * up at once when the turn is cancelled, and the scene ends there.
 */
export class Turn {
  readonly prompt: Prompt;
  readonly cwd: string;
  readonly #audience: Audience;
  readonly #pace: Pace;
  readonly #mode: () => Mode;
  readonly #calls: ToolCall[] = [];
  #isCancelled = false;
  /** Gives up what the scene waits for. */
  #interrupt: () => void = nothing;

  constructor({ prompt, cwd, audience, pace, mode }: TurnParts) {
    this.prompt = prompt;
    this.cwd = cwd;
    this.#audience = audience;
    this.#pace = pace;
    this.#mode = mode;
  }

  /** Plays a scene to its end, or up to the cancel; rejects with what the scene threw. No tool call is left open. */
  async play(scene: Scene, programme: readonly Scene[]): Promise<StopReason> {
    try {
      await scene.play(this, programme);
      return this.#isCancelled ? "cancelled" : "end_turn";
    } catch (error) {
      if (error instanceof TurnCancelled) return "cancelled";
      throw error;
    } finally {
      const open = this.#calls.filter((call) => !call.isOver);
      for (const call of open) call.failed("The turn ended before this was done.");
    }
  }

  cancel(): void {
    this.#isCancelled = true;
    this.#interrupt();
  }

  /** Speaks, a word a step. */
  say(text: string): Promise<void> {
    return this.#stream("agent_message_chunk", text);
  }

  /** Thinks aloud, a word a step. */
  think(text: string): Promise<void> {
    return this.#stream("agent_thought_chunk", text);
  }

  plan(entries: readonly PlanEntry[]): Plan {
    return new Plan(entries, this.#audience);
  }

  tool(tool: Tool): ToolCall {
    const call = new ToolCall(tool, this.#audience);
    this.#calls.push(call);
    return call;
  }

  /** Whether the tool may be used. The person is asked, unless the mode has said yes already. */
  async mayUse(call: ToolCall): Promise<boolean> {
    if (this.#mode() === "accept") return true;
    const question = { toolCall: { toolCallId: call.id }, options: OPTIONS };
    const reply = await this.#until<Reply>((settle) => this.#audience.ask(question, settle));
    return isAllowed(reply);
  }

  /** Does nothing for so many steps. */
  rest(steps: number): Promise<void> {
    const { clock, step } = this.#pace;
    return this.#until((done) => clock.after(steps * step, () => done()));
  }

  /** Waits for work that ends by itself; a cancel does not wait with it. */
  during<T>(work: Promise<T>): Promise<T> {
    return this.#until((done, failed) => {
      work.then(done, failed);
      return nothing;
    });
  }

  async #stream(kind: string, text: string): Promise<void> {
    for (const word of wordsOf(text)) {
      this.#audience.show({ sessionUpdate: kind, content: { type: "text", text: word } });
      await this.rest(1);
    }
  }

  /** Waits for what `begin` starts. A cancel takes it back, by what `begin` answers, and rejects. */
  async #until<T>(begin: (done: (value: T) => void, failed: (error: unknown) => void) => Cancel): Promise<T> {
    this.#goOn();
    const value = await new Promise<T>((resolve, reject) => {
      const done = (result: T): void => {
        this.#interrupt = nothing;
        resolve(result);
      };
      const takeBack = begin(done, reject);
      this.#interrupt = () => {
        takeBack();
        reject(new TurnCancelled());
      };
    });
    // What was waited for may have come in the same read as the cancel.
    this.#goOn();
    return value;
  }

  #goOn(): void {
    if (this.#isCancelled) throw new TurnCancelled();
  }
}

/** Unwinds a scene. */
class TurnCancelled extends Error {}

const OPTIONS = [
  { optionId: "allow", name: "Allow", kind: "allow_once" },
  { optionId: "reject", name: "Reject", kind: "reject_once" },
];

/** Only a plain yes is one; an error, an unknown option or a withdrawn question is a no. */
function isAllowed(reply: Reply): boolean {
  const outcome = reply.ok && isFields(reply.result) ? reply.result.outcome : undefined;
  return isFields(outcome) && outcome.outcome === "selected" && outcome.optionId === "allow";
}

/** The words of a text, each with the space behind it: joined, they are the text. */
const wordsOf = (text: string): string[] => text.split(/(?<=\s)(?=\S)/);

function nothing(): void {}
