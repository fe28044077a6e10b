// The steps of a prompt, played by what a turn of `acp-hall/agent` has.
import { stepsIn, Turn } from "./stage.mjs";

/**
 * @param {import("../../../src/agents/host/turn.ts").Turn} turn
 * @param {string} memory what was asked so far
 */
export async function playTurn(turn, memory) {
  const never = () => new Promise((_, reject) => turn.signal.addEventListener("abort", reject));
  const run = ({ command, output, exit }) => {
    const call = turn.tool({ title: command, kind: "execute", input: { command } });
    call.runs();
    if (exit === 0) call.done(output);
    else call.failed(output);
  };
  const edit = ({ path, before, after }) => {
    const call = turn.tool({ title: `Edit ${path}`, kind: "edit", locations: [{ path }] });
    call.update({ content: [{ type: "diff", path, oldText: before, newText: after }] });
    call.done();
  };
  const played = new Turn({
    say: (text) => turn.say(text),
    think: (text) => turn.think(text),
    big: (length) => turn.say("x".repeat(length)),
    plan: (entries) =>
      turn.plan(entries.map((content, at) => ({ content, status: at === 0 ? "completed" : "pending" }))),
    run,
    edit,
    async ask({ command }) {
      const chosen = await turn.ask({ title: command, kind: "execute" });
      await turn.say(chosen === null ? "refused" : "allowed once");
    },
    wait: never,
    hold({ command }) {
      turn.tool({ title: command, kind: "execute" }).runs();
      return never();
    },
    error(which) {
      throw new Error(`failed: ${which}`);
    },
    limit(_, { ending }) {
      played.ending = ending ?? "max_turn_requests";
    },
    die: (code) => process.exit(code),
    unknown() {
      console.log("this is no message");
      process.stdout.write("nor is this\n");
    },
    tell: (what) => turn.say(`${what}: ${memory}`),
  });
  await played.play(stepsIn(turn.text));
  return played.ending;
}
