import type { Exchange } from "./exchange.ts";

interface Watch {
  readonly wanted: (exchange: Exchange) => boolean;
  readonly found: (exchange: Exchange) => void;
}

/** All that was asked of the model, in order, and whoever waits for something to be asked or to end. */
export class Exchanges {
  readonly #all: Exchange[] = [];
  readonly #watches = new Set<Watch>();

  get all(): readonly Exchange[] {
    return this.#all;
  }

  /** Records a request; the answer records what becomes of it. */
  begin(exchange: Exchange): (ended: NonNullable<Exchange["ended"]>) => void {
    const index = this.#all.push(exchange) - 1;
    this.#tell(exchange);
    return (ended) => {
      const over = { ...exchange, ended };
      this.#all[index] = over;
      this.#tell(over);
    };
  }

  /** The first exchange for which `wanted` holds, at once or as soon as it does. */
  until(wanted: (exchange: Exchange) => boolean): Promise<Exchange> {
    const already = this.#all.find(wanted);
    if (already) return Promise.resolve(already);
    return new Promise((found) => {
      this.#watches.add({ wanted, found });
    });
  }

  #tell(exchange: Exchange): void {
    for (const watch of this.#watches) {
      if (!watch.wanted(exchange)) continue;
      this.#watches.delete(watch);
      watch.found(exchange);
    }
  }
}
