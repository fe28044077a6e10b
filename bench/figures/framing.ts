import { LineSplitter } from "../../src/wire/lines.ts";
import { type Bench, MIB, milliseconds, ratio } from "../figure.ts";
import { inRounds, median, medianRatio } from "../rounds.ts";

const PIECE_BYTES = 4 * 1024;
const ROUNDS = 15;
/** Eight times as long; linear is 8, and what the caches and the collector make of it. */
const AT_MOST = 12;

/** Milliseconds of the processor that it takes to frame one line that comes in small pieces. */
async function frame(bytes: number): Promise<number> {
  const piece = Buffer.alloc(PIECE_BYTES, "x");
  let framed = 0;
  const lines = new LineSplitter(2 * bytes, {
    line: (line) => {
      framed += line.length;
    },
    tooLong: () => {},
  });
  const before = process.cpuUsage();
  for (let sent = 0; sent < bytes; sent += PIECE_BYTES) lines.push(piece);
  lines.push(Buffer.from("\n"));
  const { user, system } = process.cpuUsage(before);
  if (framed !== bytes) throw new Error(`${framed} of ${bytes} bytes were framed`);
  return (user + system) / 1000;
}

export const framing: Bench = {
  name: "framing",
  async run() {
    const { long, short } = await inRounds(ROUNDS, {
      long: () => frame(64 * MIB),
      short: () => frame(8 * MIB),
    });
    const grows = medianRatio(long, short);
    return [
      {
        what: "a line of 64 MiB in 4 KiB pieces, against one of 8 MiB",
        target: `< ${AT_MOST} x`,
        measured: `${ratio(grows)} x`,
        from: `${milliseconds(median(long))} and ${milliseconds(median(short))}`,
        met: grows < AT_MOST,
      },
    ];
  },
};
