import type { ProcessNumbers } from "../process.ts";

/** Numbers for the processes of somebody who leaves none behind: `hall agent` ends them all when it ends. */
export class MemoryNumbers implements ProcessNumbers {
  readonly state: string;
  #last = 0;

  /** @param state tells the processes of one from those of another */
  constructor(state: string) {
    this.state = state;
  }

  begin(): number {
    this.#last += 1;
    return this.#last;
  }

  spawned(): void {}

  ended(): void {}
}
