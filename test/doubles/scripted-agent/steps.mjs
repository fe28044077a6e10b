// @ts-check
import { closeSync, existsSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { startGrandchild } from "./grandchild.mjs";

/**
 * @import { Step, Question, Fact, ToolCall } from "./script.ts"
 * @import { JsonObject } from "./ways.ts"
 * @import { Turn } from "./turn.mjs"
 * @import { Answer } from "./wire.mjs"
 */

/** How often a file is looked for, in ms: no watcher works the same everywhere. */
const LOOK_EVERY_MS = 5;

/** After so many lines of a flood the agent looks whether something came in, a cancel above all. */
const LINES_PER_LOOK = 64;

const DEFAULT_OPTIONS = [
  { optionId: "allow", name: "Allow", kind: "allow_once" },
  { optionId: "reject", name: "Reject", kind: "reject_once" },
];

/** @param {ToolCall} tool */
const toolCall = ({ id, ...rest }) => ({ toolCallId: id, ...rest });

/** @param {unknown} thing */
const inWords = (thing) => (typeof thing === "string" ? thing : JSON.stringify(thing));

/**
 * @param {Answer} answer
 * @param {(result: any) => string} success
 */
const outcome = ({ result, error }, success) =>
  error ? `error ${error.code} ${error.message}` : success(result);

/** @param {any} result */
const decision = (result) =>
  result?.outcome?.outcome === "selected"
    ? `selected ${result.outcome.optionId}`
    : String(result?.outcome?.outcome ?? JSON.stringify(result));

/** @param {string} path */
export async function untilThere(path) {
  while (!existsSync(path)) await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
}

/** @type {Promise<never>} */
const never = new Promise(() => {});

/** @type {Record<Fact, (turn: Turn) => unknown>} */
const facts = {
  mode: ({ session }) => session.mode ?? "none",
  model: ({ session }) => session.options?.find((option) => option.id === "model")?.currentValue ?? "none",
  options: ({ session }) =>
    Object.fromEntries((session.options ?? []).map((option) => [option.id, option.currentValue])),
  memory: ({ memory }) => memory.join(" | "),
  cwd: ({ session }) => session.cwd,
  directories: ({ session }) => session.directories,
  mcpServers: ({ session }) => session.mcpServers,
  pid: () => process.pid,
  session: ({ session }) => session.id,
  resources: ({ prompt }) =>
    prompt.flatMap(({ type, name, uri, resource }) => {
      if (type === "resource_link") return [`[@${name}](${uri})`];
      return type === "resource" ? [`[@${basename(resource.uri)}](${resource.uri}) ${resource.text}`] : [];
    }),
  images: ({ prompt }) => prompt.filter(({ type }) => type === "image").map(({ mimeType }) => mimeType),
};

/** @type {{ [name: string]: (value: any, turn: Turn, step: any) => unknown }} */
const actions = {
  say(/** @type {string | string[]} */ texts, turn) {
    for (const text of [texts].flat()) turn.say(text);
  },

  think(/** @type {string} */ text, turn) {
    turn.update({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text } });
  },

  plan(/** @type {(string | JsonObject)[]} */ entries, turn) {
    turn.update({
      sessionUpdate: "plan",
      entries: entries.map((entry) =>
        typeof entry === "string" ? { content: entry, priority: "medium", status: "pending" } : entry,
      ),
    });
  },

  tool(/** @type {ToolCall} */ tool, turn) {
    turn.update({ sessionUpdate: "tool_call", ...toolCall(tool) });
  },

  toolUpdate(/** @type {ToolCall} */ tool, turn) {
    turn.update({ sessionUpdate: "tool_call_update", ...toolCall(tool) });
  },

  async ask(/** @type {Question} */ { tool, options = DEFAULT_OPTIONS, ...rest }, turn, { as = "asked" }) {
    const answer = await turn.question({ toolCall: toolCall(tool), options, ...rest });
    turn.say(`${as}: ${outcome(answer, decision)}`);
  },

  async read(/** @type {string | JsonObject} */ what, turn) {
    const params = typeof what === "string" ? { path: what } : what;
    const answer = await turn.request("fs/read_text_file", params);
    turn.say(`read: ${outcome(answer, (result) => inWords(result?.content))}`);
  },

  async write(/** @type {{ path: string, content: string }} */ file, turn) {
    const answer = await turn.request("fs/write_text_file", file);
    turn.say(`wrote: ${outcome(answer, () => file.path)}`);
  },

  async terminal(/** @type {JsonObject} */ command, turn) {
    const created = await turn.request("terminal/create", command);
    if (created.error) {
      turn.say(`terminal: ${outcome(created, String)}`);
      return;
    }
    const { terminalId } = created.result;
    const exit = await turn.request("terminal/wait_for_exit", { terminalId });
    const output = await turn.request("terminal/output", { terminalId });
    await turn.request("terminal/release", { terminalId });
    const how = outcome(exit, (result) => `exit ${result?.exitCode ?? result?.signal}`);
    turn.say(`terminal: ${how}: ${outcome(output, (result) => inWords(result?.output))}`);
  },

  async call(/** @type {{ method: string, params?: JsonObject }} */ { method, params = {} }, turn) {
    const ofPrompt = params.requestId === "prompt";
    // What belongs to a request belongs to no session beside it.
    const scope = ofPrompt ? { requestId: turn.promptId, sessionId: undefined } : {};
    turn.say(`${method}: ${outcome(await turn.request(method, { ...params, ...scope }), inWords)}`);
  },

  notify(/** @type {{ method: string, params?: JsonObject }} */ message, turn) {
    turn.wire.send(message);
  },

  update(/** @type {JsonObject} */ update, turn) {
    turn.update(update);
  },

  raw(/** @type {string} */ line, turn) {
    turn.wire.writeLine(line);
  },

  burst(/** @type {{ count: number, text?: string }} */ { count, text = "burst " }, turn) {
    turn.wire.hold();
    for (let n = 0; n < count; n += 1) turn.say(`${text}${n}`);
  },

  async flood(/** @type {{ bytes: number, size?: number }} */ { bytes, size = 2048 }, turn) {
    const line = JSON.stringify({
      jsonrpc: "2.0",
      method: "session/update",
      params: {
        sessionId: turn.session.id,
        update: {
          sessionUpdate: "agent_message_chunk",
          content: { type: "text", text: "x".repeat(size) },
        },
      },
    });
    turn.wire.release();
    const began = performance.now();
    for (let sent = 0, lines = 1; sent < bytes; sent += size, lines += 1) {
      if (!turn.wire.writeUnrecorded(line)) await turn.waitFor(turn.wire.drained());
      else if (lines % LINES_PER_LOOK === 0) await turn.waitFor(new Promise(setImmediate));
    }
    turn.say(`flooded ${bytes} bytes in ${Math.round(performance.now() - began)} ms`);
  },

  bigText(/** @type {number} */ bytes, turn) {
    turn.say("x".repeat(bytes));
  },

  async wait(/** @type {"cancel" | "forever"} */ what, turn) {
    if (what === "cancel") await turn.waitForCancel();
    else await turn.waitFor(never);
  },

  async sleepUntilFile(/** @type {string} */ path, turn) {
    if (!existsSync(path)) await turn.waitFor(untilThere(path));
  },

  touch(/** @type {string} */ path) {
    writeFileSync(path, "");
  },

  async spawn(/** @type {import("./ways.ts").Grandchild} */ grandchild, turn) {
    startGrandchild(grandchild);
    if (grandchild.pidFile) await turn.waitFor(untilThere(grandchild.pidFile));
  },

  stderr(/** @type {string} */ text) {
    process.stderr.write(text);
  },

  tell(/** @type {Fact} */ fact, turn) {
    turn.say(`${fact}: ${inWords(facts[fact](turn))}`);
  },

  async together(/** @type {(Step | Step[])[]} */ strands, turn) {
    await Promise.all(strands.map((strand) => turn.perform([strand].flat())));
  },

  async exit(/** @type {number} */ code, turn) {
    turn.wire.endWith(() => process.exit(code));
    await never;
  },

  async close(/** @type {"stdin" | "stdout"} */ pipe, turn) {
    // For as long as a lost agent lives at most.
    setTimeout(() => {}, 180_000);
    // What it says next is said when the pipe is closed: until then a line would still go into it, and be lost.
    await new Promise((resolve) => {
      turn.wire.endWith(() => resolve(closeSync(pipe === "stdin" ? 0 : 1)));
    });
  },

  async kill(/** @type {NodeJS.Signals} */ signal, turn) {
    turn.wire.endWith(() => process.kill(process.pid, signal));
    await never;
  },

  end(/** @type {string | JsonObject} */ how, turn) {
    turn.ending = { result: typeof how === "string" ? { stopReason: how } : how };
  },

  error(/** @type {{ code: number, message: string }} */ error, turn) {
    turn.ending = { error };
  },

  late(/** @type {JsonObject} */ update, turn) {
    turn.late.push(update);
  },
};

/**
 * Runs one step. A step that nobody knows is said to stderr and ends the process: a test with a typing error
 * must not pass.
 * @param {Step} step
 * @param {Turn} turn
 */
export async function steps(step, turn) {
  const name = Object.keys(step)[0] ?? "";
  const action = actions[name];
  if (!action) {
    process.stderr.write(`no such step: ${JSON.stringify(step)}\n`);
    process.exit(96);
  }
  await action(/** @type {any} */ (step)[name], turn, step);
}
