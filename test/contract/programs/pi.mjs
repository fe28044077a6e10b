// pi's RPC mode, as recorded of version 0.73.1, played from a script.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { die, halves, readLines, send, stepsIn, Turn } from "./stage.mjs";

const args = process.argv.slice(2);
const after = (flag) => (args.includes(flag) ? args[args.indexOf(flag) + 1] : undefined);
const folder = join(process.env.HOME, ".pi-sessions");
mkdirSync(folder, { recursive: true });
const fileOf = (id) => join(folder, `${id}.json`);
const from = after("--session") ?? after("--fork");
if (from !== undefined && !existsSync(fileOf(from))) {
  process.stderr.write(`No session found matching '${from}'\n`);
  process.exit(1);
}
const session = after("--session") ?? `01a3-${process.pid}-${Date.now().toString(36)}`;
const messages = from === undefined ? [] : JSON.parse(readFileSync(fileOf(from), "utf8"));
const keep = () => writeFileSync(fileOf(session), JSON.stringify(messages));
const models = ["scripted", "small"].map((id) => ({ id, name: id, provider: "p", contextWindow: 1000 }));
let model = models[0];
let level = "medium";
let count = 0;
let running;
let said;
const facts = { images: [], resources: [] };
const questions = new Map();
const next = (name) => `${name}_${session.slice(-4)}_${count++}`;
const USAGE = { totalTokens: 129, cost: { total: 0.5 } };
const update = (event) =>
  send({
    type: "message_update",
    assistantMessageEvent: { contentIndex: 0, partial: {}, ...event },
    message: {},
  });

const ERRORS = {
  400: "400 bad",
  401: "401 Unauthorized",
  404: "404 no such model",
  429: "429 slow down",
  529: "529 overloaded",
  long: "400 maximum context length exceeded",
};

function streamed(kind, text) {
  update({ type: `${kind}_start` });
  for (const delta of halves(text)) update({ type: `${kind}_delta`, delta });
  update({ type: `${kind}_end`, content: text });
}
function tool(name, argumentsOf) {
  const call = { type: "toolCall", id: next("call"), name, arguments: argumentsOf };
  update({ type: "toolcall_start" });
  update({ type: "toolcall_end", toolCall: call });
  said.content.push(call);
  send({ type: "tool_execution_start", toolCallId: call.id, toolName: name, args: argumentsOf });
  return call;
}
function done(call, text, isError, details = {}) {
  const result = { content: [{ type: "text", text }], details };
  send({ type: "tool_execution_end", toolCallId: call.id, toolName: call.name, result, isError });
  messages.push(said, { role: "toolResult", toolCallId: call.id, ...result, isError });
  said = { role: "assistant", content: [] };
}

const verbs = {
  say(text) {
    streamed("text", text);
    said.content.push({ type: "text", text });
  },
  big: (bytes) => verbs.say("x".repeat(bytes)),
  think: (text) => streamed("thinking", text),
  run({ command, output, exit }) {
    const call = tool("bash", { command });
    send({
      type: "tool_execution_update",
      toolCallId: call.id,
      partialResult: { content: [{ type: "text", text: output }] },
    });
    done(call, output, exit !== 0);
  },
  edit({ path, before, after: text }) {
    done(tool("edit", { path, edits: [{ oldText: before, newText: text }] }), "Replaced.", false, {
      diff: "…",
    });
  },
  async ask({ command }, turn) {
    const call = tool("bash", { command });
    const id = next("ui");
    send({ type: "extension_ui_request", id, method: "confirm", title: "Run this?", message: command });
    const answer = await Promise.race([
      new Promise((resolve) => questions.set(id, resolve)),
      turn.cancellation,
    ]);
    done(call, answer?.confirmed ? "done" : "Refused.", !answer?.confirmed);
    if (answer) verbs.say(answer.confirmed ? "allowed once" : "refused");
  },
  wait: (_, turn) => turn.cancellation,
  async hold({ command }, turn) {
    const call = tool("bash", { command });
    await turn.cancellation;
    done(call, "Command aborted", true);
  },
  error(which, turn) {
    turn.ending = { stopReason: "error", errorMessage: ERRORS[which] };
  },
  /** Fails once, and then goes on: what the next attempt says. */
  async retry(text) {
    send({
      type: "agent_end",
      messages: [{ role: "assistant", content: [], stopReason: "error", errorMessage: "529 overloaded" }],
    });
    send({ type: "auto_retry_start", attempt: 1, maxAttempts: 3, delayMs: 1 });
    await new Promise((resolve) => setImmediate(resolve));
    send({ type: "agent_start" });
    verbs.say(text);
  },
  limit(_, turn) {
    turn.ending = { stopReason: "length" };
  },
  die,
  unknown() {
    send("this is no JSON");
    send({ type: "from_tomorrow" });
    update({ type: "from_tomorrow" });
    send({ type: "extension_ui_request", id: next("ui"), method: "input", title: "?" });
    send({ type: "extension_ui_request", id: next("ui"), method: "notify", message: "!" });
  },
  tell: (what) =>
    verbs.say(
      `${what}: ${
        what === "model"
          ? model.id
          : what === "thinking"
            ? level
            : what === "memory"
              ? messages
                  .filter((message) => message.role === "user")
                  .map((message) => message.content[0].text)
                  .join(" | ")
              : JSON.stringify(facts[what])
      }`,
    ),
};

async function run({ message, images = [] }) {
  facts.images = images.map((image) => image.mimeType);
  const [first = "", ...rest] = message.split("\n");
  facts.resources = rest;
  const turn = new Turn(verbs);
  running = turn;
  said = { role: "assistant", content: [] };
  messages.push({ role: "user", content: [{ type: "text", text: first }] });
  keep();
  send({ type: "agent_start" });
  await turn.play(stepsIn(first));
  const ending = turn.cancelled ? { stopReason: "aborted" } : (turn.ending ?? { stopReason: "stop" });
  messages.push({ ...said, usage: USAGE, ...ending });
  keep();
  running = undefined;
  send({ type: "agent_end", messages });
}

const commands = {
  get_state: () => ({
    sessionId: session,
    model,
    thinkingLevel: level,
    isStreaming: running !== undefined,
    isCompacting: false,
  }),
  get_available_models: () => ({ models }),
  get_commands: () => ({ commands: [{ name: "fix", description: "Fixes it" }] }),
  get_messages: () => ({ messages }),
  set_thinking_level(command) {
    level = command.level;
  },
  set_model(command) {
    model = models.find(({ id }) => id === command.modelId);
    return model;
  },
  abort: () => running?.cancel(),
  compact: () => ({ summary: "" }),
  prompt: (command) => void setImmediate(() => void run(command)),
};

readLines((line) => {
  const command = JSON.parse(line);
  if (command.type === "extension_ui_response") {
    questions.get(command.id)?.(command);
    questions.delete(command.id);
    return;
  }
  const act = commands[command.type];
  if (!act)
    send({
      type: "response",
      command: command.type,
      success: false,
      error: `Unknown command: ${command.type}`,
    });
  else send({ id: command.id, type: "response", command: command.type, success: true, data: act(command) });
});
