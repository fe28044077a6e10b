// hall's own events, one a line, from a command that runs one turn: played from a script.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { die, send, stepsIn, Turn } from "./stage.mjs";

const prompt = readFileSync(0, "utf8");
const [first = "", ...rest] = prompt.split("\n");
const session = process.argv.includes("--session")
  ? process.argv[process.argv.indexOf("--session") + 1]
  : `s-${process.pid}-${Date.now().toString(36)}`;
const file = join(process.env.HOME, `one-shot-${session}`);
appendFileSync(file, `${first}\n`);
let count = 0;
const call = (fields) => {
  const id = `t${process.pid}-${count++}`;
  send({ type: "tool.call", id, ...fields });
  return id;
};
const ERRORS = {
  400: "bad",
  401: "no key",
  404: "no such model",
  429: "slow down",
  529: "overloaded",
  long: "too long",
};
const verbs = {
  say: (text) => send({ type: "message", text }),
  big: (bytes) => verbs.say("x".repeat(bytes)),
  think: (text) => send({ type: "thought", text }),
  run({ command, output, exit }) {
    const id = call({ name: "bash", kind: "execute", title: command, input: { command } });
    send({
      type: "tool.result",
      id,
      status: exit === 0 ? "completed" : "failed",
      text: output,
      output: { exit },
    });
  },
  edit({ path }) {
    send({
      type: "tool.result",
      id: call({ name: "edit", kind: "edit", title: `Edit ${path}`, locations: [{ path }] }),
      status: "completed",
    });
  },
  plan: (entries) =>
    send({
      type: "plan",
      entries: entries.map((content, at) => ({ content, status: at === 0 ? "completed" : "pending" })),
    }),
  wait: () => new Promise(() => setInterval(() => {}, 1000)),
  hold({ command }) {
    call({ name: "bash", kind: "execute", title: command });
    return verbs.wait();
  },
  error(which, turn) {
    turn.ending = { status: "failed", error: `failed: ${ERRORS[which]}` };
  },
  limit(_, turn) {
    turn.ending = { status: "max_turns" };
  },
  die,
  unknown() {
    send("this is no JSON");
    send({ type: "from.tomorrow" });
  },
  tell: (what) =>
    verbs.say(
      `${what}: ${what === "memory" ? readFileSync(file, "utf8").trim().split("\n").join(" | ") : JSON.stringify(rest)}`,
    ),
};
send({ type: "session", id: session });
const turn = new Turn(verbs);
await turn.play(stepsIn(first));
send({ type: "usage", used: 129, size: 1000 });
send({ type: "run.finished", status: "completed", ...turn.ending });
if (!existsSync(file)) process.exit(1);
