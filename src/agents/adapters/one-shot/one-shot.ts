import { isFields } from "../../../acp/checks.ts";
import { AgentMethod } from "../../../acp/methods.ts";
import type { Id } from "../../../wire/message.ts";
import type { Adapter, AdapterSettings } from "../adapter.ts";
import { exitFailure, noSuchMethod } from "../failure.ts";
import type { Opening } from "../opening.ts";
import { promptText } from "../prompt-text.ts";
import type { Run, Step } from "../step.ts";
import { message } from "../updates.ts";
import { JsonLines } from "./json-lines.ts";
import type { Output } from "./output.ts";
import { presetOf } from "./presets.ts";

interface OneShot {
  readonly settings: AdapterSettings;
  readonly opening: Opening;
  /** What the program calls the session; undefined until it said so. */
  native: string | undefined;
  runs: number;
  /** The prompt that runs, and what its child has said so far. */
  turn: { readonly id: Id; readonly output: Output | undefined } | undefined;
}

/**
 * Any command, one child a turn: it gets the prompt on its stdin, or in its arguments where one of them holds
 * `{prompt}`. What it writes is the answer (`output: text`), or one event a line (`output: jsonl`).
 */
export const oneShot: Adapter<OneShot> = {
  name: "one-shot",
  title: "The command",

  init: (settings, opening) => ({ settings, opening, native: opening.remembered, runs: 0, turn: undefined }),

  program: (settings) => programOf(settings)[0] ?? "",

  command: () => "one-shot",

  environment: ({ preset }) => presetOf(preset)?.environment ?? {},

  capabilities: ({ resumeArgs, preset }) => ({
    promptCapabilities: { embeddedContext: true },
    ...(resumeArgs || presetOf(preset) ? { sessionCapabilities: { resume: {} } } : {}),
  }),

  fromAcp(sent, state) {
    if (sent.kind === "cancel") return [{ interrupt: true }];
    if (sent.kind !== "request") return [];
    const { id, method, params } = sent;
    if (method === AgentMethod.newSession || method === AgentMethod.resumeSession)
      return [{ reply: id, result: {} }];
    if (method !== AgentMethod.prompt) return [{ fail: id, error: noSuchMethod(method) }];
    const blocks = Array.isArray(params.prompt) ? params.prompt.filter(isFields) : [];
    state.runs += 1;
    state.turn = { id, output: outputOf(state) };
    return [{ run: runOf(state, promptText(blocks)) }];
  },

  fromNative: (line, { turn }) => turn?.output?.line(line) ?? [],

  fromText: (text) => [message(text)],

  exited(exit, state) {
    const { turn } = state;
    state.turn = undefined;
    if (!turn) return [];
    const { ending, session } = turn.output ?? {};
    const kept: Step[] = [];
    if (session !== undefined && session !== state.native) {
      state.native = session;
      kept.push({ remember: session });
    }
    if (ending && "stopReason" in ending) return [...kept, { reply: turn.id, result: { ...ending } }];
    if (ending) return [...kept, { fail: turn.id, error: ending }];
    if (exit.code !== 0) return [...kept, { fail: turn.id, error: exitFailure("The command", exit) }];
    return [...kept, { reply: turn.id, result: { stopReason: "end_turn" } }];
  },
};

function outputOf(state: OneShot): Output | undefined {
  const { settings } = state;
  const preset = presetOf(settings.preset);
  if (preset) return preset.output(state.runs);
  return settings.output === "jsonl" ? new JsonLines() : undefined;
}

const programOf = ({ command, preset }: AdapterSettings): readonly string[] =>
  command ?? presetOf(preset)?.command ?? [];

/** In an argument, what the program calls the session (ours until it said so), the folder, and the prompt. */
function runOf({ settings, opening, native }: OneShot, prompt: string): Run {
  const preset = presetOf(settings.preset);
  const [program = "", ...own] = programOf(settings);
  const again = native !== undefined || opening.how === "resume";
  const resume = settings.resumeArgs ?? [];
  const ofPreset = preset ? (again ? preset.resume : preset.first) : [];
  const words = [...own, ...ofPreset, ...settings.args, ...(again ? resume : [])];
  const filled = words.map((word) =>
    word
      .replaceAll("{session}", () => native ?? opening.id)
      .replaceAll("{cwd}", () => opening.cwd)
      .replaceAll("{prompt}", () => prompt),
  );
  const inArguments = words.some((word) => word.includes("{prompt}"));
  const reads = preset || settings.output === "jsonl" ? "lines" : "text";
  return { program, args: filled, stdin: inArguments ? "" : prompt, reads };
}
