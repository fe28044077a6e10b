import { type Logger, pino } from "pino";
import pretty from "pino-pretty";

/** The hall's log, on stderr: for people on a terminal, one JSON a line otherwise. */
export function openLog(level: string, format: "pretty" | "json" | undefined): Logger {
  const forPeople = format === "pretty" || (format === undefined && process.stderr.isTTY);
  if (!forPeople) return pino({ level }, pino.destination({ fd: 2, sync: true }));
  const colorize = process.stderr.isTTY && !process.env.NO_COLOR;
  return pino(
    { level },
    pretty({ destination: 2, sync: true, colorize, ignore: "pid,hostname", translateTime: "HH:MM:ss.l" }),
  );
}
