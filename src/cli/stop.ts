import { Command } from "commander";
import { fieldsOf } from "../acp/checks.ts";
import { HallMethod } from "../acp/extensions.ts";
import { pause, systemClock } from "../ground/clock.ts";
import { identify, type ProcessIdentity, standing } from "../ground/process-identity.ts";
import { version } from "../ground/version.ts";
import { Connection, FOR_CONTROL } from "./connection.ts";
import { type HallChoice, needHall } from "./find-hall.ts";
import { forHall } from "./flags.ts";
import { showAddress } from "./hall-address.ts";
import { keepAlive } from "./keep-alive.ts";
import { outsideOnly } from "./outside-only.ts";

export const command = (): Command =>
  forHall(new Command("stop"))
    .summary("stop a hall, and wait until it is gone")
    .description(
      "Stops a hall and waits until it is gone: what runs may go on for as long as the hall was told (hall serve " +
        "--drain), what waits is refused. Its sessions are kept.",
    )
    .addHelpText("after", "\nExample:\n  hall stop --config hall.yml")
    .action(stop);

const LOOK_EVERY_MS = 50;

async function stop(choice: HallChoice): Promise<void> {
  outsideOnly("hall stop", "stop the hall that it runs in");
  const address = await needHall(choice);
  let closed = (): void => {};
  const isClosed = new Promise<void>((resolve) => {
    closed = resolve;
  });
  const parts = {
    address,
    clock: systemClock,
    version: version(),
    meta: FOR_CONTROL,
    handlers: { ended: () => closed() },
  };
  const hall = await Connection.during(parts, async (connection) => {
    const { pid } = fieldsOf(await connection.ask(HallMethod.status, {}));
    const identity = typeof pid === "number" ? identify(pid) : undefined;
    await connection.ask(HallMethod.stop, {});
    await isClosed;
    return identity;
  });
  if (hall) await gone(hall);
  process.stdout.write(`The hall at ${showAddress(address)} has stopped.\n`);
}

/** It lets its clients go before it has put everything away. */
async function gone(hall: ProcessIdentity): Promise<void> {
  const letGo = keepAlive();
  while (standing(hall) === "running") await pause(systemClock, LOOK_EVERY_MS);
  letGo();
}
