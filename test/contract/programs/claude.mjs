// Claude Code's stream-json protocol, as recorded of version 2.1.332, played from a script.
import { appendFileSync, existsSync, mkdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { die, halves, readLines, send, stepsIn, Turn } from "./stage.mjs";

const args = process.argv.slice(2);
const after = (flag) => (args.includes(flag) ? args[args.indexOf(flag) + 1] : undefined);
const folder = join(
  process.env.HOME,
  ".claude",
  "projects",
  realpathSync(process.cwd()).replaceAll(/[^a-zA-Z0-9]/g, "-"),
);
mkdirSync(folder, { recursive: true });
const fileOf = (id) => join(folder, `${id}.jsonl`);
const resumed = after("--resume");
const session = after("--session-id") ?? resumed;
if (resumed !== undefined && !existsSync(fileOf(resumed))) {
  process.stderr.write(`No conversation found with session ID: ${resumed}\n`);
  process.exit(1);
}
if (resumed === undefined && existsSync(fileOf(session))) {
  process.stderr.write(`Error: Session ID ${session} is already in use.\n`);
  process.exit(1);
}
if (args.includes("--fork-session")) appendFileSync(fileOf(session), readFileSync(fileOf(resumed)));

let mode = after("--permission-mode");
let model = "default";
let count = 0;
let messageId = "";
let spoken = "";
const queue = [];
let running;
const questions = new Map();
const facts = { images: 0, resources: "", servers: [] };
const next = (name) => `${name}_${session.slice(0, 4)}${count++}`;
const emit = (type, fields) => send({ type, ...fields, session_id: session, uuid: next("u") });
const stream = (event) => emit("stream_event", { event, parent_tool_use_id: null });
const keep = (line) =>
  appendFileSync(fileOf(session), `${JSON.stringify({ ...line, sessionId: session, cwd: process.cwd() })}\n`);
const assistant = (block, extra = {}) => {
  const message = {
    id: messageId,
    type: "message",
    role: "assistant",
    model: "claude-opus-5-5",
    content: [block],
    stop_reason: null,
    usage: {
      input_tokens: 100,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 20,
      output_tokens: 1,
    },
    ...extra,
  };
  emit("assistant", { message, parent_tool_use_id: null });
  keep({ type: "assistant", message });
};
const streamed = (block, deltas) => {
  stream({ type: "content_block_start", index: 0, content_block: { ...block, text: "", thinking: "" } });
  for (const delta of deltas) stream({ type: "content_block_delta", index: 0, delta });
  assistant(block);
  stream({ type: "content_block_stop", index: 0 });
};
const use = (name, input) => {
  const id = next("toolu");
  stream({ type: "content_block_start", index: 1, content_block: { type: "tool_use", id, name, input: {} } });
  stream({
    type: "content_block_delta",
    index: 1,
    delta: { type: "input_json_delta", partial_json: JSON.stringify(input) },
  });
  assistant({ type: "tool_use", id, name, input });
  stream({ type: "content_block_stop", index: 1 });
  return id;
};
const result = (id, content, isError = false, native = undefined) => {
  const message = {
    role: "user",
    content: [{ type: "tool_result", tool_use_id: id, content, is_error: isError }],
  };
  emit("user", { message, parent_tool_use_id: null, tool_use_result: native });
  keep({ type: "user", message });
};

const ERRORS = {
  400: "API Error: 400 bad",
  401: "Invalid API key · Please run /login",
  404: "API Error: 404 no such model",
  429: "API Error: 429 slow down",
  529: "API Error: 529 overloaded",
  long: "Prompt is too long",
};

const verbs = {
  say(text) {
    spoken += text;
    streamed(
      { type: "text", text },
      halves(text).map((half) => ({ type: "text_delta", text: half })),
    );
  },
  big: (bytes) => verbs.say("x".repeat(bytes)),
  think: (thinking) =>
    streamed(
      { type: "thinking", thinking, signature: "" },
      halves(thinking).map((half) => ({ type: "thinking_delta", thinking: half })),
    ),
  run({ command, output, exit }) {
    const id = use("Bash", { command });
    result(id, output, exit !== 0, { stdout: output, stderr: "", interrupted: false });
  },
  edit({ path, before, after: text }) {
    const id = use("Edit", { file_path: path, old_string: before, new_string: text });
    result(id, `The file ${path} has been updated.`);
  },
  async ask({ command }, turn) {
    const id = use("Bash", { command });
    const request_id = next("ask");
    const rule = {
      type: "addRules",
      rules: [{ toolName: "Bash", ruleContent: "make *" }],
      behavior: "allow",
      destination: "localSettings",
    };
    const mixed = [rule, { type: "setMode", mode: "acceptEdits", destination: "session" }];
    send({
      type: "control_request",
      request_id,
      request: {
        subtype: "can_use_tool",
        tool_name: "Bash",
        input: { command },
        permission_suggestions: mixed,
        tool_use_id: id,
      },
    });
    const answer = await Promise.race([
      new Promise((resolve) => questions.set(request_id, resolve)),
      turn.cancellation,
    ]);
    if (questions.delete(request_id)) send({ type: "control_cancel_request", request_id });
    if (answer?.behavior === "allow" && answer.updatedInput?.command === command) {
      const rules = answer.updatedPermissions ?? [];
      result(id, "done");
      verbs.say(
        rules.length === 0
          ? "allowed once"
          : `allowed always: ${rules.map((one) => `${one.type} ${one.destination}`)}`,
      );
    } else {
      result(id, "The user doesn't want to proceed", true);
      if (answer?.interrupt) turn.cancel();
      else if (answer) verbs.say("refused");
    }
  },
  plan(entries) {
    const id = use("TodoWrite", {
      todos: entries.map((content, at) => ({ content, status: at === 0 ? "completed" : "pending" })),
    });
    result(id, "ok");
  },
  wait: (_, turn) => turn.cancellation,
  async hold({ command }, turn) {
    const id = use("Bash", { command });
    await turn.cancellation;
    result(id, "stopped", true);
  },
  error(which, turn) {
    const status = Number(which) || 400;
    messageId = next("msg");
    assistant({ type: "text", text: ERRORS[which] }, { model: "<synthetic>" });
    turn.ending = {
      subtype: "success",
      is_error: true,
      stop_reason: "stop_sequence",
      result: ERRORS[which],
      api_error_status: status,
    };
  },
  limit(_, turn) {
    turn.ending = {
      subtype: "error_max_turns",
      is_error: true,
      stop_reason: "tool_use",
      errors: ["max turns"],
    };
  },
  die,
  unknown() {
    send("this is no JSON");
    emit("from_tomorrow", { what: 1 });
    emit("system", { subtype: "from_tomorrow" });
    stream({ type: "from_tomorrow" });
    send({ type: "control_request", request_id: next("odd"), request: { subtype: "from_tomorrow" } });
  },
  tell: (what) =>
    verbs.say(
      `${what}: ${what === "mode" ? mode : what === "model" ? model : what === "memory" ? memory() : JSON.stringify(facts[what])}`,
    ),
};

const memory = () =>
  readFileSync(fileOf(session), "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line))
    .filter((line) => line.type === "user" && typeof line.words === "string")
    .map((line) => line.words)
    .join(" | ");

async function run({ message }) {
  const blocks = message.content;
  facts.images = blocks.filter((block) => block.type === "image").map((block) => block.source.media_type);
  const texts = blocks.filter((block) => block.type === "text").map((block) => block.text);
  facts.resources = texts.slice(1);
  messageId = next("msg");
  spoken = "";
  const turn = new Turn(verbs);
  running = turn;
  emit("system", {
    subtype: "init",
    cwd: process.cwd(),
    permissionMode: mode,
    model,
    slash_commands: ["compact"],
  });
  emit("user", { message, isReplay: true });
  keep({ type: "user", message, words: texts[0] });
  stream({ type: "message_start", message: { id: messageId } });
  await turn.play(stepsIn(texts[0]));
  if (turn.cancelled)
    emit("user", {
      message: { role: "user", content: [{ type: "text", text: "[Request interrupted by user]" }] },
    });
  const ending = turn.cancelled
    ? { subtype: "error_during_execution", is_error: true, stop_reason: null, errors: ["[ede_diagnostic]"] }
    : (turn.ending ?? { subtype: "success", is_error: false, stop_reason: "end_turn", result: spoken });
  running = undefined;
  emit("result", {
    ...ending,
    total_cost_usd: 0.01,
    usage: { input_tokens: 200, output_tokens: 10 },
    modelUsage: { x: { contextWindow: 200000 } },
  });
  const waiting = queue.shift();
  if (waiting) void run(waiting);
}

const models = [
  {
    value: "default",
    displayName: "Default",
    supportedEffortLevels: ["low", "high"],
    supportsAutoMode: true,
  },
  { value: "haiku", displayName: "Haiku" },
];
const controls = {
  initialize: () => ({
    commands: [{ name: "compact", description: "Shorten", argumentHint: "" }],
    models,
    current_permission_mode: mode,
  }),
  interrupt: () => running?.cancel(),
  set_permission_mode(request) {
    mode = request.mode;
    emit("system", { subtype: "status", status: null, permissionMode: mode });
    return { mode };
  },
  set_model(request) {
    model = request.model;
    return { model };
  },
  apply_flag_settings: () => ({}),
  mcp_set_servers(request) {
    facts.servers = request.servers;
    return { added: Object.keys(request.servers) };
  },
};

readLines((line) => {
  const message = JSON.parse(line);
  if (message.type === "user") {
    if (running) queue.push(message);
    else void run(message);
  } else if (message.type === "control_request") {
    const { request_id, request } = message;
    const act = controls[request.subtype];
    const response = act
      ? { subtype: "success", request_id, response: act(request) ?? {} }
      : { subtype: "error", request_id, error: "Unsupported" };
    send({ type: "control_response", response });
  } else if (message.type === "control_response") {
    send(message);
    const { request_id, response } = message.response;
    const settle = questions.get(request_id);
    questions.delete(request_id);
    settle?.(response ?? {});
  }
});
