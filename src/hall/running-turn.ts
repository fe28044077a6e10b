import type { Silence } from "./silence.ts";
import type { Turn } from "./turn.ts";
import type { Viewer } from "./viewer.ts";

/** The turn that the agent has, and what goes on for just as long: also when its prompt was answered meanwhile. */
export class RunningTurn {
  readonly turn: Turn<Viewer>;
  readonly #releaseFiles: () => void;
  #silence: Silence | undefined;
  #over: (() => void)[] = [];

  constructor(turn: Turn<Viewer>, releaseFiles: () => void) {
    this.turn = turn;
    this.#releaseFiles = releaseFiles;
  }

  /** The agent has the prompt: that it says nothing counts from now on. */
  listen(silence: Silence): void {
    this.#silence = silence;
  }

  /** The agent has what it waited for. */
  agentWasAnswered(): void {
    this.#silence?.beginAnew();
  }

  untilOver(): Promise<void> {
    return new Promise((resolve) => {
      this.#over.push(resolve);
    });
  }

  /** The agent has it no longer. */
  end(): void {
    this.turn.ladder?.stop();
    this.#silence?.end();
    this.#releaseFiles();
    for (const ring of this.#over.splice(0)) ring();
  }
}
