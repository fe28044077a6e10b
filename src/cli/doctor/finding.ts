/** `warning`: it works, and may not be what was meant, or not for long. `fault`: something does not work. */
export type Verdict = "ok" | "warning" | "fault";

/** What one check found. */
export interface Finding {
  /** What was checked, as a stable word: `roster`, `disk`, `slot`, … */
  check: string;
  /** Of several of a kind, which one: a slot, an address, a file. */
  subject?: string;
  verdict: Verdict;
  /** One sentence. It holds no secret. */
  message: string;
  /** What to do, or to paste. There unless all is well. */
  fix?: string;
}

/** Findings of one check, about one subject. */
export class Findings {
  readonly all: Finding[] = [];
  readonly #what: Pick<Finding, "check" | "subject">;

  constructor(check: string, subject?: string) {
    this.#what = { check, ...(subject === undefined ? {} : { subject }) };
  }

  ok(message: string): this {
    return this.#add({ verdict: "ok", message });
  }

  warning(message: string, fix: string): this {
    return this.#add({ verdict: "warning", message, fix });
  }

  fault(message: string, fix: string): this {
    return this.#add({ verdict: "fault", message, fix });
  }

  /** When nothing was found: that all is well. */
  elseOk(message: string): this {
    return this.all.length === 0 ? this.ok(message) : this;
  }

  #add(found: Omit<Finding, "check" | "subject">): this {
    this.all.push({ ...this.#what, ...found });
    return this;
  }
}
