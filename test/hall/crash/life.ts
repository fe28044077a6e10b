import { tmpdir } from "node:os";
import { HandClock } from "../../../src/ground/clock.ts";
import { Epoch } from "../../../src/hall/epoch.ts";
import { Hall } from "../../../src/hall/hall.ts";
import { rosterOf } from "../../../src/hall/roster.ts";
import { RosterInForce } from "../../../src/hall/roster-in-force.ts";
import type { State } from "../../../src/hall/state.ts";
import { openGate } from "../../doubles/open-gate.ts";
import { CrashClient } from "./crash-client.ts";
import type { CrashDisk } from "./crash-disk.ts";
import { cutPair } from "./cut-transport.ts";
import { type AgentWorld, MemoryAgent } from "./memory-agent.ts";

export const STATE = "/state";

const ROSTERS = {
  process: rosterOf({ slots: { only: { demo: true, cwd: tmpdir() } } }, { folder: tmpdir() }),
  power: rosterOf(
    { durability: "power", slots: { only: { demo: true, cwd: tmpdir() } } },
    { folder: tmpdir() },
  ),
};

/** One life of a hall on a disk: the hall's own parts, and nothing else of the machine. */
export class Life {
  readonly hall: Hall;
  readonly clock = new HandClock();
  /** What it said in its log. */
  readonly log: string[] = [];
  readonly #disk: CrashDisk;
  readonly #epoch: Epoch;

  /** `boot`: the machine's. Throws when the disk crashes in the meantime. */
  constructor(disk: CrashDisk, world: AgentWorld, boot: string, durability: "process" | "power") {
    this.#disk = disk;
    disk.makeFolder(STATE);
    this.#epoch = Epoch.begin(STATE, disk, boot);
    const state: State = {
      folder: STATE,
      id: "0".repeat(16),
      epoch: this.#epoch.name,
      wasClean: this.#epoch.wasClean,
      sessionsFolder: `${STATE}/sessions`,
      socketPath: "",
      runSocket: (name) => `/run/${name}`,
      release: () => {},
    };
    this.hall = new Hall({
      gate: openGate,
      roster: new RosterInForce(ROSTERS[durability], this.clock.now()),
      state,
      clock: this.clock,
      disk,
      version: "0",
      processes: { list: () => [] },
      channels: { open: () => ({ environment: {}, close() {} }) },
      agents: () => ({
        ways: {
          fs: "on",
          terminal: "on",
          cancelTools: false,
          lacks: new Set(),
          capabilities: {},
          authMethods: [],
        },
        launch: "memory",
        environment: () => ({}),
        forget: () => {},
        spawn: () => new MemoryAgent(world, () => disk.crashed),
      }),
      noticed: (what) => this.log.push(what),
    });
    this.hall.sessions.takeUpWaiting();
  }

  connect(): CrashClient {
    const { ours, theirs } = cutPair(() => this.#disk.crashed);
    const client = new CrashClient(theirs);
    this.hall.accept(ours, { via: "unix", local: true, trusted: true, address: "memory" });
    return client;
  }

  async stop(): Promise<void> {
    const stopped = this.hall.stop(0);
    this.hall.hurry();
    if (await stopped) this.#epoch.endCleanly();
  }
}
