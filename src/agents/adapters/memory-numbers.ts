import { randomUUID } from "node:crypto";
import type { ProcessNumbers } from "../process.ts";

/** Numbers for the processes of somebody who leaves none behind: `hall agent` ends them all when it ends. */
export class MemoryNumbers implements ProcessNumbers {
  /** By its marks a process is known, and ended: they must be nobody else's. */
  readonly state = randomUUID();
  #last = 0;

  begin(): number {
    this.#last += 1;
    return this.#last;
  }

  spawned(): void {}

  ended(): void {}
}
