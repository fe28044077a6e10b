/** What can be stopped; asked again, it hurries. */
export interface Stoppable {
  stop(drain: number): Promise<void>;
}

/** The wish that a hall should stop, which may come before there is one. */
export class Stopping {
  readonly #drain: number;
  #wasAsked = false;
  #ask: (() => void) | undefined;

  /** `drain`: milliseconds that running turns may take. */
  constructor(drain: number) {
    this.#drain = drain;
  }

  ask(): void {
    this.#wasAsked = true;
    this.#ask?.();
  }

  /** Resolves when this was asked to stop, and has. */
  of(service: Stoppable): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#ask = () => void service.stop(this.#drain).then(resolve, reject);
      if (this.#wasAsked) this.#ask();
    });
  }
}
