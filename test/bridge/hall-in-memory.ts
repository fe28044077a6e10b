import { tmpdir } from "node:os";
import { type Clock, HandClock } from "../../src/ground/clock.ts";
import { Hall } from "../../src/hall/hall.ts";
import { rosterOf } from "../../src/hall/roster.ts";
import { RosterInForce } from "../../src/hall/roster-in-force.ts";
import type { State } from "../../src/hall/state.ts";
import { memoryPair } from "../../src/wire/memory.ts";
import type { Transport } from "../../src/wire/transport.ts";
import { openGate } from "../doubles/open-gate.ts";
import { MemoryDisk } from "../hall/memory-disk.ts";
import { AgentInMemory } from "./agent-in-memory.ts";

const FOLDER = "/state";
const ROSTER = rosterOf(
  { slots: { own: { command: ["agent-in-memory"], cwd: tmpdir() } } },
  { folder: tmpdir() },
);
const ORIGIN = { via: "unix", local: true, trusted: true, address: "memory" } as const;

/** A whole hall in this process, with its agents and its disk in memory: thousands of them come and go in a test. */
export class HallInMemory {
  readonly clock = new HandClock();
  disk = new MemoryDisk();
  readonly roster: RosterInForce;
  readonly #agents = new Set<AgentInMemory>();
  #hall: Hall;
  #runs = 0;

  /** `before`: a disk that another hall has left; it stays as it is. */
  constructor(before = new MemoryDisk(), roster = ROSTER) {
    this.roster = new RosterInForce(roster, this.clock.now());
    this.#copy(before);
    this.#hall = this.#start(true);
  }

  get hall(): Hall {
    return this.#hall;
  }

  /** The client's end of a new connection. */
  connect(): Transport {
    const [ours, theirs] = memoryPair();
    this.#hall.accept(theirs, ORIGIN);
    return ours;
  }

  /** The next hall begins with what was on the disk in this very moment, as after a SIGKILL. */
  kill(): void {
    const { disk } = this;
    for (const client of this.#hall.clients) client.destroy();
    this.#copy(disk);
    for (const agent of this.#agents) agent.exit();
    this.#agents.clear();
    this.#hall = this.#start(false);
  }

  /** The lines of a session's journal. */
  journal(sessionId: string): string[] {
    const content = this.disk.read(`${FOLDER}/sessions/${sessionId}/updates.jsonl`);
    return (content?.toString() ?? "").split("\n").slice(0, -1);
  }

  #copy(disk: MemoryDisk): void {
    this.disk = new MemoryDisk();
    for (const [name, content] of disk.files) this.disk.files.set(name, content);
    for (const folder of disk.folders) this.disk.folders.add(folder);
  }

  #start(wasClean: boolean): Hall {
    const { clock, disk } = this;
    const run = ++this.#runs;
    const state: State = {
      folder: FOLDER,
      id: "0123456789abcdef",
      epoch: "epoch",
      wasClean,
      sessionsFolder: `${FOLDER}/sessions`,
      socketPath: `${FOLDER}/hall.sock`,
      runSocket: (name) => `${FOLDER}/run/${name}`,
      release() {},
    };
    return new Hall({
      gate: openGate,
      roster: this.roster,
      state,
      clock,
      disk,
      version: "0.0.0-test",
      processes: { list: () => [] },
      channels: { open: () => ({ environment: {}, close() {} }) },
      agents: (slot) => ({
        ways: {
          fs: "client",
          terminal: "on",
          cancelTools: false,
          lacks: new Set(),
          capabilities: {},
          authMethods: [],
        },
        launch: "agent-in-memory",
        environment: () => ({}),
        forget: () => {},
        spawn: () => this.#spawn(clock, run, slot.args.join(" ")),
      }),
      noticed() {},
    });
  }

  #spawn(clock: Clock, run: number, args: string) {
    const agent = new AgentInMemory(clock, args);
    if (run === this.#runs) this.#agents.add(agent);
    else agent.exit();
    return agent.process;
  }
}
