import fs from "node:fs";
import type { BenchClient } from "../client.ts";
import { type Bench, type Figure, MIB, mebibytes, milliseconds, ratio } from "../figure.ts";
import { BenchHall } from "../hall.ts";
import { NOTHING, type Order } from "../order.ts";
import { inRounds, median, medianRatio } from "../rounds.ts";

const ROUNDS = 5;
/** Some 200 MB of lines. */
const FLOOD: Order = { updates: 94_000, text: 2_000, numbered: true };
const AGENT_TIME = 1.2;
const GROWTH_BYTES = 32 * MIB;
const OTHERS_TIME = 2;
const IDLE_PROMPTS = 300;

/** Counts what a client gets, and fails at the first line that is not the next one. */
class InOrder {
  #next = 0;

  constructor(client: BenchClient) {
    client.onUpdate = (line) => {
      const number = Number(/"text":"(\d{12})/.exec(line.toString("latin1", 0, 256))?.[1]);
      if (number !== this.#next) throw new Error(`line ${number} came where ${this.#next} belongs`);
      this.#next += 1;
      if (this.#next === FLOOD.updates) this.#next = 0;
    };
  }
}

const sizeOf = (file: string): number => fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** Round trips in another session, one after another, until `over`. */
async function roundTrips(client: BenchClient, sessionId: string, over: () => boolean): Promise<number> {
  const times = [];
  while (!over()) times.push((await client.prompt(sessionId, NOTHING)).ms);
  return median(times);
}

export const slowClient: Bench = {
  name: "slow-client",
  async run() {
    const hall = await BenchHall.start({ probed: true });
    try {
      const flooded = await hall.connect();
      const other = await hall.connect();
      await Promise.all([flooded.initialize(), other.initialize()]);
      const [flood, quiet] = await Promise.all([flooded.newSession(), other.newSession()]);
      new InOrder(flooded);
      const journal = hall.journalOf(flood);
      let floodBytes = 0;
      const growths: number[] = [];
      const idle: number[] = [];
      const busy: number[] = [];
      const agentMs = await inRounds(ROUNDS, {
        reading: async () => {
          const before = sizeOf(journal);
          const { agentMs } = await flooded.prompt(flood, FLOOD);
          floodBytes = sizeOf(journal) - before;
          return agentMs;
        },
        notReading: async () => {
          let left = IDLE_PROMPTS;
          idle.push(await roundTrips(other, quiet, () => left-- === 0));
          const before = await hall.ask("watch");
          const full = sizeOf(journal) + floodBytes;
          const answered = flooded.prompt(flood, FLOOD);
          flooded.stopReading();
          busy.push(await roundTrips(other, quiet, () => sizeOf(journal) >= full));
          growths.push((await hall.ask("peak")).rss - before.rss);
          flooded.readOn();
          return (await answered).agentMs;
        },
      });
      return figures(agentMs, growths.slice(1), idle.slice(1), busy.slice(1));
    } finally {
      await hall.stop();
    }
  },
};

function figures(
  agentMs: { reading: number[]; notReading: number[] },
  growths: number[],
  idle: number[],
  busy: number[],
): Figure[] {
  const slower = medianRatio(agentMs.notReading, agentMs.reading);
  const growth = median(growths);
  const longer = medianRatio(busy, idle);
  return [
    {
      what: "a client that does not read 200 MB: the agent's time, against one that reads",
      target: `<= ${AGENT_TIME}`,
      measured: ratio(slower),
      from: `${milliseconds(median(agentMs.notReading))} and ${milliseconds(median(agentMs.reading))}`,
      met: slower <= AGENT_TIME,
    },
    {
      what: "the same: the hall's memory grows by",
      target: `< ${mebibytes(GROWTH_BYTES)}`,
      measured: mebibytes(growth),
      from: `${mebibytes(Math.min(...growths))} to ${mebibytes(Math.max(...growths))}`,
      met: growth < GROWTH_BYTES,
    },
    {
      what: "the same: round trips of another session, p50, against when all is quiet",
      target: `<= ${OTHERS_TIME} x`,
      measured: `${ratio(longer)} x`,
      from: `${milliseconds(median(busy))} and ${milliseconds(median(idle))}`,
      met: longer <= OTHERS_TIME,
    },
    {
      what: "the same: lines that it gets, in order, once it reads",
      target: "all",
      measured: "all",
      from: `${FLOOD.updates} numbered ones, ${ROUNDS + 1} times`,
      met: true,
    },
  ];
}
