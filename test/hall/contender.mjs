// A process that takes state directories when it is told to: `take FOLDER`, `release clean`, `release dirty`.
// argv[2]: the compiled `hall/state.js`; argv[3]: the compiled `ground` folder.
import { createInterface } from "node:readline";

const { openState } = await import(process.argv[2]);
const { realDisk } = await import(`${process.argv[3]}/disk.js`);
const { systemClock } = await import(`${process.argv[3]}/clock.js`);

let state;
const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

async function take(folder) {
  try {
    state = await openState(folder, { disk: realDisk, clock: systemClock, version: "9.9.9" });
    say({ won: true, epoch: state.epoch, wasClean: state.wasClean, id: state.id });
  } catch (error) {
    say({ won: false, name: error.name, message: error.message, holder: error.holder?.pid });
  }
}

say({ ready: true });
for await (const line of createInterface({ input: process.stdin })) {
  const [verb, argument] = line.split(" ");
  if (verb === "take") await take(argument);
  else {
    state.release(argument === "clean");
    say({ released: true });
  }
}
