import { type Fields, resultOf } from "../acp/checks.ts";
import { failure, type HallFailure } from "../acp/errors.ts";
import { HallKey } from "../acp/extensions.ts";
import { AgentMethod } from "../acp/methods.ts";
import type { Reply } from "../wire/peer.ts";
import { type Agent, AgentError } from "./agent.ts";
import { Binding, type Bound } from "./binding.ts";
import { AT_THE_START, type FarPlace } from "./memory.ts";
import type { Way } from "./record.ts";
import type { Settings } from "./settings.ts";

/** A session that wants an agent session, new or again. */
export interface Wanted {
  session: Bound;
  cwd: string;
  additionalDirectories: readonly string[];
  mcpServers: readonly Fields[];
  /** The halls that a new one was asked for through. */
  via: readonly string[];
  /** The agent session that it had, if that holds anything worth restoring. */
  before: string | undefined;
  /** Where that was read to, if the agent is a hall. */
  farPlace: FarPlace;
  /** What to do when the agent can neither resume nor load. */
  otherwise: "transcript" | "fresh";
  /** What this agent is known to advertise without having it, or to fail at. */
  lacks: ReadonlySet<"resume" | "load">;
  /** A binding was made, and is spoken through already. It is the latest: those before it are closed. */
  bound(binding: Binding): void;
  noticed(what: string): void;
}

export interface Restored {
  binding: Binding;
  way: Way;
  /** What the agent answered: modes, options, fields of its own. */
  result: Fields;
}

/**
 * Gives a session an agent session: a new one, or the one that it had, by the agent's own resume or load,
 * whichever it has and works. A load that replays nothing of what the user said has restored nothing (some
 * agents accept any id). Rejects with the agent's own error, or with how it failed.
 */
export async function openAgentSession(agent: Agent, wanted: Wanted): Promise<Restored> {
  const { before } = wanted;
  if (before === undefined) return openNew(agent, wanted, "new");
  const resumed = await tryWay("resume", agent, wanted, before);
  if (resumed) return resumed;
  const loaded = await tryWay("load", agent, wanted, before);
  if (loaded) return loaded;
  return openNew(agent, wanted, wanted.otherwise);
}

function sessionParams(agent: Agent, wanted: Wanted): Fields {
  const directories = wanted.additionalDirectories;
  return {
    cwd: wanted.cwd,
    mcpServers: wanted.mcpServers,
    ...(directories.length > 0 && agent.can("additionalDirectories")
      ? { additionalDirectories: directories }
      : {}),
  };
}

function openNew(agent: Agent, wanted: Wanted, way: Way): Promise<Restored> {
  return new Promise((resolve, reject) => {
    agent.openSession(sessionParams(agent, wanted), wanted.via, (reply) => {
      if (!reply.ok) {
        if (reply.lost) agent.onGone(() => reject(agent.exitFailure()));
        else reject(agent.errorOf(reply.error));
        return;
      }
      const result = resultOf(reply.result);
      const agentSession = result.sessionId;
      if (typeof agentSession !== "string" || agentSession === "") {
        reject(agent.failure("agent_protocol", "gave no session id"));
        return;
      }
      if (agent.gaveToAnother(agentSession, wanted.session.id)) {
        reject(agent.failure("agent_protocol", "gave one session id to two sessions"));
        return;
      }
      const binding = new Binding(agent, agentSession, wanted.session, "open");
      wanted.bound(binding);
      agent.give(agentSession, wanted.session.id);
      agent.bind(agentSession, binding);
      // Behind what it told before its answer, which is the newer word.
      binding.open(result);
      resolve({ binding, way, result });
    });
  });
}

async function tryWay(
  way: "resume" | "load",
  agent: Agent,
  wanted: Wanted,
  before: string,
): Promise<Restored | undefined> {
  const has = way === "resume" ? agent.can("resume") : agent.capabilities.loadSession === true;
  if (!has || wanted.lacks.has(way)) return undefined;
  if (agent.gaveToAnother(before, wanted.session.id)) {
    wanted.noticed(`the agent could not ${way} its session (its process has given that id to another)`);
    return undefined;
  }
  if (way === "resume" && agent.isHall) return resumeAt(wanted.farPlace, agent, wanted, before);
  const binding = new Binding(agent, before, wanted.session, "replaying");
  wanted.bound(binding);
  agent.bind(before, binding);
  const method = way === "resume" ? AgentMethod.resumeSession : AgentMethod.loadSession;
  const result = await new Promise<Fields | undefined>((resolve, reject) => {
    agent.request(method, { sessionId: before, ...sessionParams(agent, wanted) }, (reply) => {
      if (reply.ok && (way === "resume" || binding.replayedUserMessage)) {
        const answered = resultOf(reply.result);
        // In this very pass: what follows the answer belongs to the session again.
        agent.give(before, wanted.session.id);
        binding.open(answered);
        resolve(answered);
      } else if (!reply.ok && reply.lost) {
        agent.onGone(() => reject(agent.exitFailure()));
      } else {
        const why = reply.ok ? "it replayed nothing" : reply.error.message;
        wanted.noticed(`the agent could not ${way} its session (${why})`);
        binding.close();
        resolve(undefined);
      }
    });
  });
  return result && { binding, way, result };
}

/**
 * A hall reads the session on to us from where we were, a turn that goes on there with it: all of that is news to our
 * clients, but for what was recorded before a hall before us was killed. Undefined: it has no such session.
 */
async function resumeAt(
  { journal, cursor, at }: FarPlace,
  agent: Agent,
  wanted: Wanted,
  before: string,
): Promise<Restored | undefined> {
  const { session } = wanted;
  const place = {
    ...(journal === undefined ? {} : { [HallKey.journal]: journal }),
    [HallKey.cursor]: cursor,
  };
  const params = { sessionId: before, ...sessionParams(agent, wanted), _meta: place };
  const binding = new Binding(agent, before, session, "open");
  wanted.bound(binding);
  agent.bind(before, binding);
  session.readAgain(at);
  const reply = await new Promise<Reply>((resolve, reject) => {
    agent.request(AgentMethod.resumeSession, params, (told) => {
      session.readOn();
      if (told.ok) {
        agent.give(before, session.id);
        binding.open(resultOf(told.result));
      }
      if (told.ok || !told.lost) resolve(told);
      else agent.onGone(() => reject(agent.exitFailure()));
    });
  });
  if (reply.ok) return { binding, way: "resume", result: resultOf(reply.result) };
  binding.close();
  const isElsewhere = !reply.lost && resultOf(reply.error.data).kind === "bad_cursor";
  wanted.noticed(`the hall behind could not resume its session (${reply.error.message})`);
  // Its journal is another one now: what it had before is what we have. It is read from its start.
  if (isElsewhere && cursor > 0) return resumeAt(AT_THE_START, agent, wanted, before);
  return undefined;
}

/**
 * Chooses again what was in force, before any prompt: no prompt runs in a mode that nobody chose. Rejects
 * with `restore_failed`, naming what the agent no longer offers or refuses. An answer that tells no modes or
 * options (some agents load with `null`) leaves those of before.
 */
export async function chooseAgain(binding: Binding, kept: Settings): Promise<void> {
  const { agent, settings } = binding;
  const { mode, options } = kept.inForce;
  if (mode !== undefined && settings.inForce.mode !== mode) {
    const what = `mode "${mode}"`;
    if (settings.modes && !settings.offersMode(mode)) throw notOffered(agent, what);
    await choose(binding, what, AgentMethod.setMode, { modeId: mode });
    settings.modes ??= kept.modes;
    settings.enterMode(mode);
  }
  for (const { configId, value } of options) {
    if (settings.valueOf(configId) === value) continue;
    const what = `option "${configId}" = ${JSON.stringify(value)}`;
    if (settings.configOptions && !settings.offersOption(configId)) throw notOffered(agent, what);
    const typed = typeof value === "boolean" ? { type: "boolean", value } : { value };
    const result = await choose(binding, what, AgentMethod.setConfigOption, { configId, ...typed });
    settings.takeOptions(result.configOptions);
  }
}

async function choose(binding: Binding, what: string, method: string, params: Fields): Promise<Fields> {
  const { agent, agentSession } = binding;
  try {
    const { result } = await agent.ask(method, { sessionId: agentSession, ...params });
    return resultOf(result);
  } catch (error) {
    throw error instanceof AgentError ? notChosen(agent, what, error.message) : error;
  }
}

const notOffered = (agent: Agent, what: string): HallFailure =>
  notChosen(agent, what, "the agent no longer offers it");

const notChosen = (agent: Agent, what: string, why: string): HallFailure =>
  failure(
    "restore_failed",
    `The session's ${what} could not be set again (${why}); put it back there, or start a new session.`,
    { slot: agent.slot, setting: what },
  );
