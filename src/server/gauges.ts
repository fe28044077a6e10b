import { Counter, Gauge, type Registry } from "prom-client";
import type { Hall } from "../hall/hall.ts";
import { residentBytes } from "./resident-memory.ts";

/** Metrics that are looked up in the hall when somebody asks for them. */
export function addGauges(registry: Registry, hall: Hall): void {
  new Gauges(registry, hall).add();
}

class Gauges {
  readonly #registry: Registry;
  readonly #hall: Hall;

  constructor(registry: Registry, hall: Hall) {
    this.#registry = registry;
    this.#hall = hall;
  }

  add(): void {
    const hall = this.#hall;
    this.#gauge("hall_info", "The version of this hall.", ["version"], (set) =>
      set({ version: hall.version }, 1),
    );
    this.#gauge("hall_start_time_seconds", "When this hall started, since the epoch.", [], (set) =>
      set({}, hall.startedAt / 1000),
    );
    this.#gauge("hall_memory_bytes", "Resident memory of the hall itself.", [], (set) =>
      set({}, process.memoryUsage.rss()),
    );
    this.#gauge("hall_sessions", "Sessions that are kept.", [], (set) => set({}, hall.sessions.size));
    this.#gauge("hall_sessions_in_memory", "Sessions in which something can be going on.", [], (set) =>
      set({}, hall.sessions.live.length),
    );
    this.#gauge("hall_clients", "Clients that are connected and let in.", ["via"], (set) => {
      for (const via of ["unix", "tcp", "websocket"])
        set({ via }, [...hall.clients].filter((one) => one.initialized && one.origin.via === via).length);
    });
    this.#attachments();
    this.#slots();
  }

  #attachments(): void {
    const lags = (): number[] =>
      this.#hall.sessions.live.flatMap(({ stream }) =>
        [...stream.seats].map(({ attachment }) =>
          Math.max(0, stream.end - (attachment?.cursor ?? stream.end)),
        ),
      );
    this.#gauge("hall_attachments", "Clients that look at a session, counted once for each.", [], (set) =>
      set({}, lags().length),
    );
    this.#gauge("hall_attachment_lag_bytes", "What attachments have not been sent yet, in sum.", [], (set) =>
      set(
        {},
        lags().reduce((sum, lag) => sum + lag, 0),
      ),
    );
    this.#gauge("hall_attachment_lag_bytes_max", "The same of the one that is farthest behind.", [], (set) =>
      set({}, Math.max(0, ...lags())),
    );
  }

  #slots(): void {
    const { slots } = this.#hall;
    this.#gauge("hall_turns_running", "Turns that run now.", ["slot"], (set) => {
      for (const { name, units } of slots.all) set({ slot: name }, units.pending);
    });
    this.#gauge("hall_turns_waiting", "Turns that wait for their slot.", ["slot"], (set) => {
      for (const { name, units } of slots.all) set({ slot: name }, units.size);
    });
    this.#gauge("hall_processes", "Agent processes that run.", ["slot"], (set) => {
      for (const { name, agents } of slots.all) set({ slot: name }, agents.size);
    });
    this.#gauge(
      "hall_process_memory_bytes",
      "Resident memory of the agent processes, without what they started.",
      ["slot"],
      (set) => {
        for (const { name, agents } of slots.all) {
          const bytes = [...agents].map(({ process }) =>
            process.pid === undefined ? 0 : residentBytes(process.pid),
          );
          set(
            { slot: name },
            bytes.reduce((sum, one) => sum + one, 0),
          );
        }
      },
    );
    this.#counted("hall_updates_total", "Updates of agents that were passed on.", (add) => {
      for (const { name, relayed } of slots.all) add({ slot: name }, relayed.updates);
    });
    this.#counted("hall_update_bytes_total", "Their bytes.", (add) => {
      for (const { name, relayed } of slots.all) add({ slot: name }, relayed.bytes);
    });
  }

  #gauge(name: string, help: string, labelNames: string[], look: (set: Put) => void): void {
    new Gauge({
      name,
      help,
      labelNames,
      registers: [this.#registry],
      collect() {
        this.reset();
        look((labels, value) => this.set(labels, value));
      },
    });
  }

  /** A count that is kept elsewhere, by slot. */
  #counted(name: string, help: string, look: (add: Put) => void): void {
    new Counter({
      name,
      help,
      labelNames: ["slot"],
      registers: [this.#registry],
      collect() {
        this.reset();
        look((labels, value) => this.inc(labels, value));
      },
    });
  }
}

type Put = (labels: Record<string, string>, value: number) => void;
