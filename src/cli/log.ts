import { type Logger, pino } from "pino";

/** The hall's log, on stderr: for people on a terminal, one JSON a line otherwise. */
export async function openLog(level: string, format: "pretty" | "json" | undefined): Promise<Logger> {
  const forPeople = format === "pretty" || (format === undefined && process.stderr.isTTY);
  if (!forPeople) return pino({ level }, pino.destination({ fd: 2, sync: true }));
  // Half a megabyte of formatting that a hall without a terminal never needs.
  const { default: pretty } = await import("pino-pretty");
  const colorize = process.stderr.isTTY && !process.env.NO_COLOR;
  return pino(
    { level },
    pretty({ destination: 2, sync: true, colorize, ignore: "pid,hostname", translateTime: "HH:MM:ss.l" }),
  );
}
