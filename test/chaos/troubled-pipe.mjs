// Runs an agent with a bad line to it: `troubled-pipe.mjs SEED PROGRAM ARGUMENT…`. What goes either way comes in
// other pieces, late, or after a stall; nothing is lost. It ends as the agent does.
import { spawn } from "node:child_process";
import { setTimeout } from "node:timers/promises";

const [seed = "1", program = "", ...args] = process.argv.slice(2);
let state = Number(seed) + process.pid;

/** @param {number} limit */
function below(limit) {
  state = (Math.imul(state, 1103515245) + 12345) >>> 0;
  return (state >>> 8) % limit;
}

/**
 * @param {NodeJS.ReadableStream} from
 * @param {NodeJS.WritableStream} to
 */
async function carry(from, to) {
  try {
    for await (const bytes of from) {
      const half = below(3) === 0 ? below(bytes.length) : bytes.length;
      for (const piece of [bytes.subarray(0, half), bytes.subarray(half)]) {
        if (piece.length === 0) continue;
        if (below(80) === 0) await setTimeout(120);
        else if (below(5) === 0) await setTimeout(below(4));
        if (!to.write(piece)) await new Promise((resolve) => to.once("drain", () => resolve(undefined)));
      }
    }
  } catch {
    // The agent ended first.
  }
  if (to !== process.stdout) to.end();
}

const agent = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
agent.stdin.on("error", () => {});
// What is meant for the group reaches the agent by itself; whether this ends by it is the agent's to say.
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => {});
void carry(process.stdin, agent.stdin);
const said = carry(agent.stdout, process.stdout);
agent.on("exit", async (code, signal) => {
  await said;
  if (signal) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  } else process.exit(code ?? 1);
});
