import { Registry } from "prom-client";
import type { Hall } from "../hall/hall.ts";
import { addGauges } from "./gauges.ts";
import { addMeters } from "./meters.ts";

/**
 * What a hall does, in numbers, for Prometheus. It listens to the hall's events and looks at the hall when it is asked:
 * nothing of it is on the way of an update. Labels are slots of the roster and words of the hall's own, so there are
 * never more of them than can be counted.
 */
export class Metrics {
  readonly #registry = new Registry();
  readonly #unwatch: () => void;

  constructor(hall: Hall) {
    addGauges(this.#registry, hall);
    this.#unwatch = addMeters(this.#registry, hall);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }

  close(): void {
    this.#unwatch();
  }
}
