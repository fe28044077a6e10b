import fs from "node:fs";
import { setTimeout } from "node:timers/promises";
import type { Answer, BenchClient } from "../client.ts";
import { type Bench, type Figure, MIB, mebibytes, milliseconds, ratio } from "../figure.ts";
import { BenchHall } from "../hall.ts";
import { NOTHING, type Order } from "../order.ts";
import { inRounds, median, medianRatio } from "../rounds.ts";

const ROUNDS = 5;
/** Some 200 MB of lines, as fast as their agent makes them. */
const FLOOD: Order = { updates: 94_000, text: 2_000, numbered: true };
/** The same, at some 50 MB a second: a flood at full speed leaves no processor to anybody, where there are two. */
const STEADY: Order = { ...FLOOD, rest: 1 };
const AGENT_TIME = 1.2;
const GROWTH_BYTES = 32 * MIB;
const OTHERS_TIME = 2;
const IDLE_PROMPTS = 1_000;
/** Between two looks at the journal. */
const LOOK_MS = 5;

/** From now on the first line that is not the next one ends the bench. */
function expectInOrder(client: BenchClient): void {
  let next = 0;
  client.onUpdate = (line) => {
    const number = Number(/"text":"(\d{12})/.exec(line.toString("latin1", 0, 256))?.[1]);
    if (number !== next) throw new Error(`line ${number} came where ${next} belongs`);
    next = (next + 1) % FLOOD.updates;
  };
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
      expectInOrder(flooded);
      const journal = hall.journalOf(flood);
      let floodBytes = 0;
      const growths: number[] = [];
      /** Lines that nobody reads until all of them are in the journal; `meanwhile` gets a way to tell. */
      const unread = async (
        order: Order,
        meanwhile: (over: () => boolean) => Promise<void>,
      ): Promise<Answer> => {
        const full = sizeOf(journal) + floodBytes;
        const answered = flooded.prompt(flood, order);
        flooded.stopReading();
        await meanwhile(() => sizeOf(journal) >= full);
        flooded.readOn();
        return answered;
      };
      const roundTripsIn = async (order: Order): Promise<number> => {
        let p50 = Number.NaN;
        await unread(order, async (over) => {
          p50 = await roundTrips(other, quiet, over);
        });
        return p50;
      };
      const { read, notRead, idle, steady, full } = await inRounds(ROUNDS, {
        read: async () => {
          const before = sizeOf(journal);
          const { agentMs } = await flooded.prompt(flood, FLOOD);
          floodBytes = sizeOf(journal) - before;
          return agentMs;
        },
        notRead: async () => {
          const before = await hall.ask("watch");
          const { agentMs } = await unread(FLOOD, async (over) => {
            while (!over()) await setTimeout(LOOK_MS);
          });
          growths.push((await hall.ask("peak")).rss - before.rss);
          return agentMs;
        },
        idle: async () => {
          let left = IDLE_PROMPTS;
          return roundTrips(other, quiet, () => left-- === 0);
        },
        steady: () => roundTripsIn(STEADY),
        full: () => roundTripsIn(FLOOD),
      });
      return [
        ...forAgentAndHall(notRead, read, growths.slice(1)),
        ...forOthers(steady, full, idle),
        {
          what: "the same: lines that it gets, in order, once it reads",
          target: "all",
          measured: "all",
          from: `${FLOOD.updates} numbered ones, ${4 * (ROUNDS + 1)} times`,
          met: true,
        },
      ];
    } finally {
      await hall.stop();
    }
  },
};

function forAgentAndHall(notRead: number[], read: number[], growths: number[]): Figure[] {
  const slower = medianRatio(notRead, read);
  const growth = median(growths);
  return [
    {
      what: "a client that does not read 200 MB: the agent's time, against one that reads",
      target: `<= ${AGENT_TIME}`,
      measured: ratio(slower),
      from: `${milliseconds(median(notRead))} and ${milliseconds(median(read))}`,
      met: slower <= AGENT_TIME,
    },
    {
      what: "the same: the hall's memory grows by",
      target: `< ${mebibytes(GROWTH_BYTES)}`,
      measured: mebibytes(growth),
      from: `${mebibytes(Math.min(...growths))} to ${mebibytes(Math.max(...growths))}`,
      met: growth < GROWTH_BYTES,
    },
  ];
}

/** The target holds for a flood at full speed; the steady one tells how much of that is want of a processor. */
function forOthers(steady: number[], full: number[], idle: number[]): Figure[] {
  const figure = (flood: string, busy: number[]): Figure => {
    const longer = medianRatio(busy, idle);
    return {
      what: `the same, ${flood}: round trips of another session, p50, against when all is quiet`,
      target: `<= ${OTHERS_TIME} x`,
      measured: `${ratio(longer)} x`,
      from: `${milliseconds(median(busy))} and ${milliseconds(median(idle))}`,
      met: longer <= OTHERS_TIME,
    };
  };
  return [figure("at full speed", full), figure("at some 50 MB a second", steady)];
}
