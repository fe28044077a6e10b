import { showAddress } from "../bridge/hall-address.ts";
import type { DiskTrouble } from "../ground/watched-disk.ts";
import type { Hall } from "../hall/hall.ts";
import type { Slot } from "../hall/slot.ts";
import type { Reload } from "./reload.ts";
import { residentBytes } from "./resident-memory.ts";

export interface StatusParts {
  hall(): Hall;
  reload(): Pick<Reload, "status">;
  /** What is wrong with the disk that the state lies on, if anything. */
  diskTrouble(): DiskTrouble | undefined;
}

/** What a hall is doing, for whoever looks after it. */
export class Status {
  readonly #parts: StatusParts;

  constructor(parts: StatusParts) {
    this.#parts = parts;
  }

  report(): object {
    const hall = this.#parts.hall();
    const trouble = this.#parts.diskTrouble();
    return {
      version: hall.version,
      pid: process.pid,
      startedAt: new Date(hall.startedAt).toISOString(),
      uptimeMs: hall.clock.now() - hall.startedAt,
      clients: hall.clients.size,
      sessions: hall.sessions.size,
      processes: hall.places.taken,
      memoryBytes: process.memoryUsage.rss(),
      disk: trouble
        ? { writable: false, since: new Date(trouble.since).toISOString(), error: trouble.message }
        : { writable: true },
      roster: this.#parts.reload().status,
      slots: [...hall.slots.all].map(slotRow),
    };
  }

  /** Each slot, what it runs and how, and its processes. */
  slots(): object[] {
    return [...this.#parts.hall().slots.all].map((slot, at) => {
      const { description, run, cwd, concurrency, isolation } = slot.config;
      const { name, title, ...doing } = slotRow(slot);
      return {
        name,
        title,
        ...(description === undefined ? {} : { description }),
        default: at === 0,
        kind: run.kind,
        cwd,
        concurrency,
        isolation,
        ...doing,
        agents: [...slot.agents].map((agent) => ({
          pid: agent.process.pid ?? null,
          process: agent.process.number ?? null,
          memoryBytes: agent.process.pid === undefined ? 0 : residentBytes(agent.process.pid),
          sessionIds: agent.sessions,
        })),
      };
    });
  }
}

const slotRow = ({ name, config, units, agents, failed }: Slot) => ({
  name,
  title: config.title,
  ...(config.run.kind === "hall" ? { hall: showAddress(config.run.address) } : {}),
  processes: agents.size,
  turns: units.pending,
  waiting: units.size,
  ...(config.unavailable === undefined ? {} : { unavailable: config.unavailable }),
  ...(failed === undefined ? {} : { failed }),
});
