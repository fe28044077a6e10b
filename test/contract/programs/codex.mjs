// The app-server protocol of Codex, as recorded of version 0.171.0, played from a script.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { die, halves, readLines, send, stepsIn, Turn } from "./stage.mjs";

const folder = join(process.env.HOME, ".codex-threads");
mkdirSync(folder, { recursive: true });
const fileOf = (id) => join(folder, `${id}.json`);
let thread;
let turns = [];
let items = [];
let count = 0;
let asked = 0;
let running;
let policy = {};
let model = "gpt-5.5";
let config = {};
const facts = { images: [], resources: [] };
const questions = new Map();
const next = (name) => `${name}_${count++}`;
const tell = (method, params) => send({ method, params: { threadId: thread, ...params }, emittedAtMs: 1 });
const keep = () => writeFileSync(fileOf(thread), JSON.stringify(turns));
const started = (item) => tell("item/started", { turnId: running.id, item });
const completed = (item) => {
  items.push(item);
  tell("item/completed", { turnId: running.id, item });
};
const question = (method, params) => {
  const id = asked++;
  send({ id, method, params: { threadId: thread, turnId: running.id, ...params } });
  return Promise.race([new Promise((resolve) => questions.set(id, resolve)), running.cancellation]).finally(
    () => questions.delete(id) && tell("serverRequest/resolved", { requestId: id }),
  );
};
const command = (text, more = {}) => ({
  type: "commandExecution",
  command: `/bin/bash -lc '${text}'`,
  cwd: process.cwd(),
  status: "inProgress",
  commandActions: [{ type: "unknown", command: text }],
  aggregatedOutput: null,
  exitCode: null,
  ...more,
});

const FAILURES = {
  400: "badRequest",
  401: { httpConnectionFailed: { httpStatusCode: 401 } },
  404: "modelNotFound",
  429: "rateLimitExceeded",
  529: "serverOverloaded",
  long: "contextWindowExceeded",
};

const verbs = {
  say(text) {
    const id = next("msg");
    started({ type: "agentMessage", id, text: "" });
    for (const delta of halves(text))
      tell("item/agentMessage/delta", { turnId: running.id, itemId: id, delta });
    completed({ type: "agentMessage", id, text });
  },
  big: (bytes) => verbs.say("x".repeat(bytes)),
  think(text) {
    const id = next("rs");
    started({ type: "reasoning", id, summary: [], content: [] });
    tell("item/reasoning/summaryPartAdded", { itemId: id, summaryIndex: 0 });
    for (const delta of halves(text))
      tell("item/reasoning/summaryTextDelta", { itemId: id, delta, summaryIndex: 0 });
    completed({ type: "reasoning", id, summary: [text], content: [] });
  },
  run({ command: text, output, exit }) {
    const item = { id: next("call"), ...command(text) };
    started(item);
    tell("item/commandExecution/outputDelta", { itemId: item.id, delta: output });
    completed({
      ...item,
      status: exit === 0 ? "completed" : "failed",
      aggregatedOutput: output,
      exitCode: exit,
    });
  },
  edit({ path, before, after }) {
    const diff = `@@ -1 +1 @@\n-${before}\n+${after}\n`;
    const item = {
      type: "fileChange",
      id: next("call"),
      changes: [{ path, kind: { type: "update", move_path: null }, diff }],
      status: "inProgress",
    };
    started(item);
    completed({ ...item, status: "completed" });
  },
  async ask({ command: text }, turn) {
    const item = { id: next("call"), ...command(text) };
    started(item);
    const amendment = { acceptWithExecpolicyAmendment: { execpolicy_amendment: ["make"] } };
    const answer = await question("item/commandExecution/requestApproval", {
      itemId: item.id,
      command: item.command,
      commandActions: item.commandActions,
      cwd: item.cwd,
      availableDecisions: ["accept", amendment, "cancel"],
    });
    const { decision } = answer ?? {};
    if (decision === "accept" || decision?.acceptWithExecpolicyAmendment) {
      completed({ ...item, status: "completed", aggregatedOutput: "done\n", exitCode: 0 });
      verbs.say(decision === "accept" ? "allowed once" : `allowed always: ${JSON.stringify(decision)}`);
    } else if (decision === "decline") {
      completed({ ...item, status: "declined" });
      verbs.say("refused");
    } else turn.cancel();
  },
  plan: (entries) =>
    tell("turn/plan/updated", {
      plan: entries.map((step, at) => ({ step, status: at === 0 ? "completed" : "pending" })),
    }),
  wait: (_, turn) => turn.cancellation,
  async hold({ command: text }, turn) {
    started({ id: next("call"), ...command(text) });
    // An interrupted command gets no item/completed.
    await turn.cancellation;
  },
  error(which, turn) {
    const error = {
      message: JSON.stringify({ error: { message: `failed: ${which}` } }),
      codexErrorInfo: FAILURES[which],
    };
    tell("error", { error: { message: "Reconnecting... 1/5" }, willRetry: true });
    tell("error", { error, willRetry: false });
    turn.ending = { status: "failed", error };
  },
  die,
  unknown() {
    send("this is no JSON");
    tell("item/from/tomorrow", {});
    completed({ type: "fromTomorrow", id: next("x") });
    send({ id: asked++, method: "from/tomorrow", params: {} });
  },
  tell: (what) =>
    verbs.say(
      `${what}: ${what === "mode" ? `${policy.approvalPolicy} ${policy.sandboxPolicy?.type}` : what === "model" ? model : what === "memory" ? turns.map((turn) => turn.words).join(" | ") : what === "servers" ? JSON.stringify(config.mcp_servers) : JSON.stringify(facts[what])}`,
    ),
};

async function run(params, turn) {
  const texts = params.input.filter((part) => part.type === "text").map((part) => part.text);
  facts.images = params.input.filter((part) => part.type === "image").map((part) => part.url.slice(5, 14));
  facts.resources = texts.slice(1);
  running = turn;
  items = [{ type: "userMessage", id: next("user"), content: params.input }];
  turns.push({ id: turn.id, words: texts[0], items });
  keep();
  tell("turn/started", { turn: { id: turn.id, status: "inProgress" } });
  await turn.play(stepsIn(texts[0]));
  tell("thread/tokenUsage/updated", {
    tokenUsage: { last: { totalTokens: 101 }, modelContextWindow: 258400 },
  });
  keep();
  const ending = turn.cancelled
    ? { status: "interrupted", error: null }
    : (turn.ending ?? { status: "completed", error: null });
  running = undefined;
  tell("thread/status/changed", { status: { type: "idle" } });
  tell("turn/completed", { turn: { id: turn.id, items: [], ...ending } });
}

const open = (id) => {
  thread = id;
  return { thread: { id, turns: [] }, model, reasoningEffort: "low" };
};
const methods = {
  initialize: () => ({ userAgent: "stand-in", codexHome: folder }),
  "model/list": () => ({
    data: [
      {
        model: "gpt-5.5",
        displayName: "GPT",
        supportedReasoningEfforts: [{ reasoningEffort: "low" }],
        defaultReasoningEffort: "low",
      },
      { model: "small", displayName: "Small", supportedReasoningEfforts: [] },
    ],
  }),
  "thread/start"(params) {
    config = params.config ?? {};
    return open(`01a2-${process.pid}-${Date.now().toString(36)}`);
  },
  "thread/resume"({ threadId }) {
    if (!existsSync(fileOf(threadId))) throw new Error(`no rollout found for thread id ${threadId}`);
    turns = JSON.parse(readFileSync(fileOf(threadId), "utf8"));
    return open(threadId);
  },
  "thread/fork"({ threadId }) {
    turns = JSON.parse(readFileSync(fileOf(threadId), "utf8"));
    const opened = open(`${threadId}-fork`);
    keep();
    return opened;
  },
  "thread/turns/list": () => ({ data: turns, nextCursor: null }),
  "turn/start"(params) {
    policy = params;
    model = params.model ?? model;
    const turn = new Turn(verbs);
    turn.id = next("turn");
    setImmediate(() => void run(params, turn));
    return { turn: { id: turn.id, status: "inProgress" } };
  },
  "turn/interrupt"({ turnId }) {
    if (running?.id !== turnId) throw new Error("no active turn to interrupt");
    running.cancel();
    return {};
  },
};

readLines((line) => {
  const { id, method, params, result, error } = JSON.parse(line);
  if (method === undefined) {
    questions.get(id)?.(result ?? { error });
    return;
  }
  if (id === undefined) return;
  try {
    if (!methods[method]) throw new Error(`unknown variant \`${method}\``);
    send({ id, result: methods[method](params) });
  } catch (thrown) {
    send({ id, error: { code: -32600, message: thrown.message } });
  }
});
