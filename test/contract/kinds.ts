import { join } from "node:path";
import type { AdapterName } from "../../src/agents/adapters/names.ts";
import type { Step as ScriptedStep } from "../doubles/scripted-agent/script.ts";
import { type SlotOptions, startHall } from "../doubles/start-hall.ts";
import type { Failure, Step } from "./step.ts";

/** What not every kind of agent has. */
export type Ability =
  | "ask"
  | "ask always"
  | "plan"
  | "modes"
  | "models"
  | "images"
  | "resources"
  | "commands"
  | "diffs"
  | "usage";

/** A kind of agent that a slot may name, played by a scripted program. */
export interface Kind {
  readonly name: "native" | "module" | "graph" | "ai" | "hall" | AdapterName;
  readonly can: ReadonlySet<Ability>;
  /** The slot. `home`: where its program keeps what it remembers. */
  slot(home: string): SlotOptions | Promise<SlotOptions>;
  /** The prompt that makes it do this. */
  words(steps: readonly Step[]): string;
  /** How it is restored after its process ended. */
  readonly restores: "resume";
  /** In its mode and its model of a choice: what `tell` says. */
  readonly mode?: { readonly id: string; readonly told: string };
  readonly model?: { readonly id: string; readonly told: string };
}

const program = (name: string): string[] => [
  process.execPath,
  join(import.meta.dirname, "programs", `${name}.mjs`),
];

const abilities = (...names: Ability[]): ReadonlySet<Ability> => new Set(names);

const adapted =
  (adapter: AdapterName, file: string, more: object = {}) =>
  (home: string): SlotOptions => ({
    adapter,
    command: program(file),
    env: { HOME: home },
    ...more,
  });

const asJson = (steps: readonly Step[]): string => JSON.stringify(steps);

export const claudeCode: Kind = {
  name: "claude-code",
  can: abilities(
    "ask",
    "ask always",
    "plan",
    "modes",
    "models",
    "images",
    "resources",
    "commands",
    "diffs",
    "usage",
  ),
  slot: adapted("claude-code", "claude"),
  words: asJson,
  restores: "resume",
  mode: { id: "plan", told: "plan" },
  model: { id: "haiku", told: "haiku" },
};

export const codex: Kind = {
  name: "codex",
  can: abilities(
    "ask",
    "ask always",
    "plan",
    "modes",
    "models",
    "images",
    "resources",
    "commands",
    "diffs",
    "usage",
  ),
  slot: adapted("codex", "codex"),
  words: asJson,
  restores: "resume",
  mode: { id: "read-only", told: "on-request readOnly" },
  model: { id: "small", told: "small" },
};

export const pi: Kind = {
  name: "pi",
  can: abilities("ask", "models", "images", "resources", "commands", "diffs", "usage"),
  slot: adapted("pi", "pi"),
  words: asJson,
  restores: "resume",
  model: { id: "p/small", told: "small" },
};

export const oneShot: Kind = {
  name: "one-shot",
  can: abilities("plan", "resources", "usage"),
  slot: adapted("one-shot", "one-shot", { output: "jsonl", resume_args: ["--session", "{session}"] }),
  words: asJson,
  restores: "resume",
};

/** What the scripted agent answers when its model's provider fails, in the words that adapters use for it. */
const ERRORS: Readonly<Record<Failure, { code: number; message: string; data: { kind: string } }>> = {
  "400": { code: -32603, message: "That was a bad request.", data: { kind: "bad_request" } },
  "401": { code: -32000, message: "Log in first.", data: { kind: "not_logged_in" } },
  "404": { code: -32603, message: "There is no such model.", data: { kind: "model_missing" } },
  "429": { code: -32603, message: "That was too often.", data: { kind: "rate_limited" } },
  "529": { code: -32603, message: "The provider is overloaded.", data: { kind: "overloaded" } },
  long: { code: -32603, message: "That is too long.", data: { kind: "context_too_long" } },
};

/** How full the scripted agent's context is, at the end of each turn. */
const USED = { update: { sessionUpdate: "usage_update", used: 1_000, size: 100_000 } };

/** An agent that speaks ACP itself, so that all others are held against it. */
export const native: Kind = {
  name: "native",
  can: abilities("ask", "plan", "modes", "models", "images", "resources", "commands", "diffs", "usage"),
  slot: (home) => ({
    ways: {
      commandsWithNew: "after",
      configOptions: [
        {
          id: "model",
          name: "Model",
          category: "model",
          type: "select",
          currentValue: "large",
          options: ["large", "small"].map((value) => ({ value, name: value })),
        },
      ],
      stateFile: join(home, "state.json"),
      modes: {
        currentModeId: "default",
        availableModes: [
          { id: "default", name: "Ask" },
          { id: "plan", name: "Plan" },
        ],
      },
    },
  }),
  words: (steps) => JSON.stringify([...steps.flatMap((step, at) => scripted(step, `t${at}`)), USED]),
  restores: "resume",
  mode: { id: "plan", told: "plan" },
  model: { id: "small", told: "small" },
};

/** A function, in a process of its own. */
export const module: Kind = {
  name: "module",
  can: abilities("ask", "plan", "diffs"),
  slot: () => ({ module: join(import.meta.dirname, "programs", "module.mjs") }),
  words: asJson,
  restores: "resume",
};

/** A graph of LangGraph.js, with a checkpointer on disk. */
export const graph: Kind = {
  name: "graph",
  can: abilities("ask", "plan", "diffs"),
  slot: (home) => ({
    module: join(import.meta.dirname, "programs", "graph.mjs"),
    env: { GRAPH_THREADS: join(home, "threads") },
  }),
  words: asJson,
  restores: "resume",
};

/** A model of the AI SDK with tools, which tells a provider's failures as its providers do. */
export const ai: Kind = {
  name: "ai",
  can: abilities("ask", "plan", "diffs", "usage"),
  slot: () => ({ module: join(import.meta.dirname, "programs", "ai.mjs") }),
  words: asJson,
  restores: "resume",
};

/** The native one, behind a hall of its own. */
export const hall: Kind = {
  ...native,
  name: "hall",
  slot: async (home) => {
    const behind = await startHall({ slots: { native: await native.slot(home) } });
    return { hall: `tcp://${behind.service.addresses.tcp}` };
  },
};

export const kinds: readonly Kind[] = [native, claudeCode, codex, pi, oneShot, module, graph, ai, hall];

/** Those that have a model of somebody else's behind them, as far as the suite plays it. */
export const providedKinds: readonly Kind[] = [native, claudeCode, codex, pi, oneShot, ai, hall];

/** The same in the words of the scripted agent. */
function scripted(step: Step, id: string): ScriptedStep[] {
  if ("run" in step) {
    const { command, output, exit } = step.run;
    const content = [{ type: "content", content: { type: "text", text: output } }];
    return [
      { tool: { id, title: command, kind: "execute", status: "in_progress" } },
      { toolUpdate: { id, status: exit === 0 ? "completed" : "failed", content } },
    ];
  }
  if ("edit" in step) {
    const { path, before: oldText, after: newText } = step.edit;
    const content = [{ type: "diff", path, oldText, newText }];
    return [
      { tool: { id, title: "Edit", kind: "edit", status: "pending", locations: [{ path }], content } },
      { toolUpdate: { id, status: "completed" } },
    ];
  }
  if ("ask" in step) {
    const { command } = step.ask;
    return [
      { tool: { id, title: command, kind: "execute", status: "pending" } },
      { ask: { tool: { id, title: command } } },
      { toolUpdate: { id, status: "completed" } },
    ];
  }
  if ("plan" in step) {
    return [
      {
        plan: step.plan.map((content, at) => ({
          content,
          priority: "medium",
          status: at === 0 ? "completed" : "pending",
        })),
      },
    ];
  }
  if ("wait" in step) return [{ wait: "forever" }];
  if ("hold" in step) {
    return [
      { tool: { id, title: step.hold.command, kind: "execute", status: "in_progress" } },
      { wait: "forever" },
    ];
  }
  if ("error" in step) return [{ error: ERRORS[step.error] }];
  if ("limit" in step) return [{ end: "max_turn_requests" }];
  if ("die" in step) return [{ exit: step.die }];
  if ("unknown" in step) return [{ raw: "this is no JSON" }, { notify: { method: "_from/tomorrow" } }];
  if ("big" in step) return [{ bigText: step.big }];
  if ("tell" in step) return [{ tell: step.tell === "servers" ? "mcpServers" : step.tell }];
  if ("think" in step) return [{ think: step.think }];
  return "say" in step ? [{ say: step.say }] : [];
}
