import { type Fields, fieldsOf, isFields } from "../acp/checks.ts";
import { systemClock } from "../ground/clock.ts";
import { version } from "../ground/version.ts";
import { Connection, FOR_CONTROL } from "./connection.ts";
import { type HallChoice, needHall } from "./find-hall.ts";

/** Asks the hall that is meant several things about itself. Rejects as `needHall` and `Connection` do. */
export async function withHall<Value>(
  choice: HallChoice,
  work: (hall: Connection) => Promise<Value>,
): Promise<Value> {
  const address = await needHall(choice);
  return Connection.during({ address, clock: systemClock, version: version(), meta: FOR_CONTROL }, work);
}

/** As `withHall`, one thing. */
export const askHall = (choice: HallChoice, method: string, params: Fields = {}): Promise<Fields> =>
  withHall(choice, async (hall) => fieldsOf(await hall.ask(method, params)));

/** The list under this name in what a hall answered. */
export const listIn = (answer: Fields, name: string): Fields[] => {
  const list = answer[name];
  return Array.isArray(list) ? list.filter(isFields) : [];
};
