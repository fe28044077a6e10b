import { type Bench, KILO, rate } from "../figure.ts";
import { BenchHall } from "../hall.ts";
import { inRounds, median } from "../rounds.ts";

const ROUNDS = 7;
const CLIENTS = 4;
const UPDATES = 40 * KILO;
const TEXT = 40;
const AT_LEAST = 60 * KILO;

export const clients: Bench = {
  name: "clients",
  async run() {
    const hall = await BenchHall.start();
    try {
      const sender = await hall.connect();
      await sender.initialize();
      const sessionId = await sender.newSession();
      const watchers = await Promise.all(
        Array.from({ length: CLIENTS - 1 }, async () => {
          const watcher = await hall.connect();
          await watcher.initialize();
          await watcher.load(sessionId);
          return watcher;
        }),
      );
      const { delivered } = await inRounds(ROUNDS, {
        delivered: async () => {
          const begun = performance.now();
          // Who did not send the prompt is told it, in a line of its own.
          const told = watchers.map((watcher) => watcher.untilUpdates(watcher.updates + UPDATES + 1));
          await Promise.all([sender.prompt(sessionId, { updates: UPDATES, text: TEXT }), ...told]);
          return ((CLIENTS * UPDATES) / (performance.now() - begun)) * 1000;
        },
      });
      const perSecond = median(delivered);
      return [
        {
          what: `updates of ${TEXT} bytes, ${CLIENTS} clients on one session, delivered`,
          target: `>= ${rate(AT_LEAST)}`,
          measured: rate(perSecond),
          from: `${rate(Math.min(...delivered))} to ${rate(Math.max(...delivered))}`,
          met: perSecond >= AT_LEAST,
        },
      ];
    } finally {
      await hall.stop();
    }
  },
};
