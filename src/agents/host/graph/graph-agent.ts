import { Command } from "@langchain/langgraph";
import { type Fields, isFields } from "../../../acp/checks.ts";
import type { AgentDefinition } from "../agent-definition.ts";
import { hostFailure } from "../module-failure.ts";
import type { StopReason, Turn } from "../turn.ts";
import {
  type CompiledGraph,
  type Interrupt,
  isCompiledGraph,
  keepsThreads,
  snapshotOf,
} from "./compiled-graph.ts";
import { type AllHooks, type GraphHooks, reasonOf, withDefaults } from "./graph-hooks.ts";
import { during } from "./playing-turns.ts";
import { Runs } from "./run.ts";

/** An agent that is a compiled graph of LangGraph.js: each session is a thread of it. */
export function graphAgent(graph: CompiledGraph, hooks: GraphHooks = {}): AgentDefinition {
  if (!isCompiledGraph(graph))
    throw new TypeError("graphAgent takes a compiled graph of LangGraph.js; call .compile() on yours.");
  const { name = graph.name ?? "graph", title, version, accepts } = hooks;
  const all = withDefaults(graph, hooks);
  return {
    name,
    ...(title === undefined ? {} : { title }),
    ...(version === undefined ? {} : { version }),
    ...(accepts === undefined ? {} : { accepts }),
    prompt: (turn) => during(turn, () => play(graph, turn, hooks, all)),
    ...(keepsThreads(graph) ? { resume: async ({ id }) => (await snapshotOf(graph, id)).isKnown } : {}),
  };
}

async function play(graph: CompiledGraph, turn: Turn, hooks: GraphHooks, all: AllHooks): Promise<StopReason> {
  const runs = new Runs({
    graph,
    turn,
    streamNodes: [hooks.streamNodes ?? []].flat(),
    config: configOf(turn, hooks),
  });
  try {
    await runs.play(await inputOf(graph, turn, all));
    for (;;) {
      const { values, interrupts } = await snapshotOf(graph, turn.session.id);
      if (interrupts.length === 0) {
        await runs.sayRest(all.extractAgentText(known(values, runs.written), runs.written));
        return "end_turn";
      }
      await runs.play(resumeWith(await answersTo(interrupts, turn, all)));
    }
  } catch (error) {
    if (isStepLimit(error)) return "max_turn_requests";
    throw error;
  }
}

/** The state, or what is known of it where nothing keeps it. */
const known = (values: Fields, written: ReadonlyMap<string, unknown>): Fields =>
  Object.keys(values).length > 0 ? values : Object.fromEntries(written);

function configOf(turn: Turn, { config }: GraphHooks): Fields {
  const given = typeof config === "function" ? config(turn) : (config ?? {});
  const configurable = isFields(given.configurable) ? given.configurable : {};
  const { id } = turn.session;
  return { ...given, configurable: { ...configurable, thread_id: id, _acp_session_id: id } };
}

/**
 * What a prompt begins with. An interrupt that is open (its process was killed, or it could not be put as a question)
 * is answered by the prompt's text, once; one whose turn the person cancelled is not.
 */
async function inputOf(graph: CompiledGraph, turn: Turn, all: AllHooks): Promise<unknown> {
  const { interrupts } = await snapshotOf(graph, turn.session.id);
  const [open] = interrupts.filter((one) => !givenUp(turn).includes(keyOf(one)));
  if (open) return resumeWith([[open, all.extractUserText(turn.blocks)]]);
  return all.buildSessionState(turn.blocks, turn);
}

/** Puts each interrupt of a step to the person, one after another. A refusal is an answer, where there is one. */
async function answersTo(
  interrupts: readonly Interrupt[],
  turn: Turn,
  all: AllHooks,
): Promise<[Interrupt, unknown][]> {
  const answers: [Interrupt, unknown][] = [];
  for (const interrupt of interrupts) {
    const question = all.interruptPermission(interrupt);
    if (question === null) throw interrupted(interrupt, "no choice answers it; the next prompt does");
    const chosen = await turn.choose(question).catch((error: unknown) => {
      if (wasCancelled(turn)) giveUp(turn, interrupts);
      throw error;
    });
    const option = chosen ?? question.options.find(({ kind }) => kind.startsWith("reject"));
    if (!option) throw interrupted(interrupt, "nobody answered it");
    answers.push([interrupt, all.interruptResumeValue(interrupt, option.optionId)]);
  }
  return answers;
}

const interrupted = ({ id, node, value }: Interrupt, why: string): Error =>
  hostFailure("graph_interrupted", `The graph stopped in node ${node}: ${reasonOf(value)} (${why}.)`, {
    interrupt: { id, node, value },
  });

/** By the interrupts' ids, so that each gets its own answer; an engine that gives none has one at a time. */
function resumeWith(answers: readonly (readonly [Interrupt, unknown])[]): Command {
  const byId = answers.flatMap(([{ id }, value]) => (id === undefined ? [] : [[id, value] as const]));
  const [first] = answers;
  return new Command({ resume: byId.length > 0 ? Object.fromEntries(byId) : first?.[1] });
}

const keyOf = ({ id, node }: Interrupt): string => id ?? node;

/** Interrupts whose turn the person cancelled: the next prompt is a new one. */
function givenUp({ session }: Turn): unknown[] {
  const kept = session.recall();
  return isFields(kept) && Array.isArray(kept.givenUp) ? kept.givenUp : [];
}

function giveUp({ session }: Turn, interrupts: readonly Interrupt[]): void {
  session.remember({ givenUp: interrupts.map(keyOf) });
}

/** By the person; a client that is only gone may come back to the question. */
const wasCancelled = ({ signal: { reason } }: Turn): boolean => isFields(reason) && reason.by === "person";

/** Its own class may be that of another copy of the library. */
const isStepLimit = (error: unknown): boolean =>
  error instanceof Error &&
  (error.name === "GraphRecursionError" ||
    ("lc_error_code" in error && error.lc_error_code === "GRAPH_RECURSION_LIMIT"));
