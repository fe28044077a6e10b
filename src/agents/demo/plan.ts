import type { Audience } from "./audience.ts";

type Status = "pending" | "in_progress" | "completed";

export interface PlanEntry {
  content: string;
  priority: "high" | "medium" | "low";
}

/** A plan that is worked through from the first entry to the last. ACP sends it whole at each change. */
export class Plan {
  readonly #audience: Audience;
  readonly #entries: readonly PlanEntry[];
  /** Entries before this one are completed. */
  #current = 0;

  /** Shows it, with the first entry begun. */
  constructor(entries: readonly PlanEntry[], audience: Audience) {
    this.#entries = entries;
    this.#audience = audience;
    this.#show();
  }

  /** What is under way is completed, and the next entry begins. */
  advance(): void {
    this.#current += 1;
    this.#show();
  }

  #show(): void {
    const entries = this.#entries.map((entry, index) => ({ ...entry, status: this.#statusOf(index) }));
    this.#audience.show({ sessionUpdate: "plan", entries });
  }

  #statusOf(index: number): Status {
    if (index === this.#current) return "in_progress";
    return index < this.#current ? "completed" : "pending";
  }
}
