import type { BenchClient } from "../client.ts";
import { type Bench, type Figure, KILO, rate, ratio } from "../figure.ts";
import { BenchHall } from "../hall.ts";
import { Program } from "../program.ts";
import { inRounds, type Measured, median, medianRatio } from "../rounds.ts";

type Route = "pipe" | "relay" | "sdk" | "hall";

const ROUNDS = 9;
const OF_RELAY = 0.6;
/** Updates a measurement, so that each takes about as long. */
const AMOUNTS: Readonly<Record<number, Readonly<Record<Route, number>>>> = {
  40: { pipe: 400 * KILO, relay: 100 * KILO, hall: 100 * KILO, sdk: 4 * KILO },
  2048: { pipe: 80 * KILO, relay: 30 * KILO, hall: 30 * KILO, sdk: 2 * KILO },
};
const OF_SDK: Readonly<Record<number, number>> = { 40: 12, 2048: 5 };

interface Ends {
  client: BenchClient;
  sessionId: string;
}

async function begin(client: BenchClient): Promise<Ends> {
  await client.initialize();
  return { client, sessionId: await client.newSession() };
}

/** Updates a second that reach the client of one session. */
async function throughput({ client, sessionId }: Ends, updates: number, text: number): Promise<number> {
  const { ms } = await client.prompt(sessionId, { updates, text });
  return (updates / ms) * 1000;
}

async function measure(text: number, hall: BenchHall, programs: Program[]): Promise<Measured<Route>> {
  const [pipe, relay, sdk] = await Promise.all(
    programs.map(async (program) => begin(await program.connect())),
  );
  const own = await begin(await hall.connect());
  const amounts = AMOUNTS[text];
  if (!pipe || !relay || !sdk || !amounts) throw new Error("a baseline is missing");
  return inRounds(ROUNDS, {
    pipe: () => throughput(pipe, amounts.pipe, text),
    relay: () => throughput(relay, amounts.relay, text),
    sdk: () => throughput(sdk, amounts.sdk, text),
    hall: () => throughput(own, amounts.hall, text),
  });
}

function figures(text: number, { pipe, relay, sdk, hall }: Measured<Route>): Figure[] {
  const size = text < 1024 ? `${text} bytes` : `${text / 1024} KB`;
  const ofRelay = medianRatio(hall, relay);
  const ofSdk = medianRatio(hall, sdk);
  const atLeast = OF_SDK[text] ?? Number.NaN;
  return [
    {
      what: `updates of ${size}, one session, against a bare relay`,
      target: `>= ${OF_RELAY}`,
      measured: ratio(ofRelay),
      from: `${rate(median(hall))} and ${rate(median(relay))}; a bare pipe ${rate(median(pipe))}`,
      met: ofRelay >= OF_RELAY,
    },
    {
      what: `updates of ${size}, one session, against a proxy of the ACP SDK`,
      target: `>= ${atLeast} x`,
      measured: `${ofSdk.toFixed(1)} x`,
      from: `${rate(median(hall))} and ${rate(median(sdk))}`,
      met: ofSdk >= atLeast,
    },
  ];
}

export const relay: Bench = {
  name: "relay",
  async run() {
    const hall = await BenchHall.start();
    const programs = await Promise.all(
      ["bare-pipe", "bare-relay", "sdk-proxy"].map((name) => Program.start(name)),
    );
    try {
      const small = await measure(40, hall, programs);
      const large = await measure(2048, hall, programs);
      return [...figures(40, small), ...figures(2048, large)];
    } finally {
      for (const program of programs) program.stop();
      await hall.stop();
    }
  },
};
