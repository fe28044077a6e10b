import { systemClock } from "../ground/clock.ts";
import { messageOf } from "../ground/thrown.ts";
import { Client } from "./client.ts";
import { EarlyEnd, Interrupted, SIGNALS } from "./early-end.ts";
import { HallProcess } from "./hall-process.ts";
import { Keyboard } from "./keyboard.ts";
import { Painter } from "./painter.ts";
import { NobodyThere, PersonAtKeyboard } from "./person.ts";
import { Premises } from "./premises.ts";
import { PROGRAMME } from "./programme.ts";
import { show } from "./show.ts";
import { Stage } from "./stage.ts";
import { READ_ALONG, UNWATCHED } from "./tempo.ts";
import { Transcript } from "./transcript.ts";

/** Lines of the hall's log that are shown when something went wrong. */
const LOG_LINES = 30;
/** ms that a show may take in which nobody has to press a key. */
const UNWATCHED_WITHIN_MS = 90_000;

/** `npm run demo`: a real hall, and what it does, shown. Leaves nothing behind, however it ends. */
async function main(): Promise<number> {
  const clock = systemClock;
  const stage = new Stage(process.stdout, process.env);
  const painter = new Painter(stage, new Transcript(stage));
  const early = new EarlyEnd();
  early.watch(process);
  const isWatched = stage.isTerminal && process.stdin.isTTY;
  const ctrlC = (): void => early.interrupted(SIGNALS.SIGINT);
  const keyboard = isWatched ? new Keyboard(process.stdin, ctrlC) : undefined;
  const person = keyboard ? new PersonAtKeyboard(keyboard) : new NobodyThere();
  const tempo = stage.isTerminal ? READ_ALONG : UNWATCHED;
  const premises = new Premises(tempo.word);
  const hall = new HallProcess(premises, clock, process.env);
  try {
    keyboard?.open();
    if (!isWatched) clock.after(UNWATCHED_WITHIN_MS, () => early.because(new Error("The demo got stuck.")));
    const connect = async (): Promise<Client> =>
      Client.connect(await hall.open(), { painter, person, trouble: (error) => early.because(error) });
    const scenery = { hall, painter, clock, tempo, cwd: process.cwd(), connect };
    await Promise.race([show(PROGRAMME, stage, scenery), hall.died, early.happened]);
    return 0;
  } catch (error) {
    stage.goDark();
    if (error instanceof Interrupted) return error.exitCode;
    const end = await hall.stop();
    process.stderr.write(report(error, end, hall.lastLines(LOG_LINES)));
    return 1;
  } finally {
    keyboard?.close();
    await hall.stop();
    premises.remove();
  }
}

/** What happened, how the hall ended, and what it said before. */
function report(error: unknown, end: string, log: readonly string[]): string {
  const lines = log.length === 0 ? ["(nothing)"] : log;
  return `\nThe demo failed: ${messageOf(error)}\nThe hall ended ${end}. Its last lines:\n  ${lines.join("\n  ")}\n`;
}

process.exitCode = await main();
