import type { Call } from "../acp/agent-side.ts";
import { type Fields, isFields, resultOf } from "../acp/checks.ts";
import { isHallKey } from "../acp/extensions.ts";
import { AgentMethod } from "../acp/methods.ts";
import type { Id } from "../wire/message.ts";
import type { Reply } from "../wire/peer.ts";
import { type Agent, AgentError } from "./agent.ts";
import type { Backing } from "./backing.ts";
import type { Stream } from "./stream.ts";
import type { Viewer } from "./viewer.ts";

export interface RelaysParts {
  backing: Backing;
  stream: Stream;
  /** The options in force as clients see them, with the hall's own menu. */
  options(): readonly Fields[];
  /** What is in force changed. */
  settled(): void;
  /** Says an answer to a client where it belongs: behind everything that was recorded before it. */
  answer(viewer: Viewer, say: () => void): void;
}

/** What clients ask of a session's agent that is no prompt: modes, options, methods of a vendor's. */
export class Relays {
  readonly #parts: RelaysParts;
  /** Requests that the agent has, and the ids that their clients know them by. */
  readonly #ids = new Map<Id, Id>();

  constructor(parts: RelaysParts) {
    this.#parts = parts;
  }

  /** The client's id of a request that the agent has. */
  clientsId(agentsId: Id): Id | undefined {
    return this.#ids.get(agentsId);
  }

  /** Relays a request to the agent, which is restored for it when it is not there. Rejects as that fails. */
  async relay(call: Call, viewer: Viewer, relayed: (agent: Agent, id: Id) => void): Promise<void> {
    const { agent, agentSession } = await this.#parts.backing.ensure();
    if (agent.deaf) throw agent.failure("agent_protocol", "takes nothing that it is sent");
    const params = { ...withoutHallKeys(call.params), sessionId: agentSession };
    const id = agent.request(call.method, params, (reply) => {
      this.#ids.delete(id);
      this.#answer(call, viewer, reply, agent);
    });
    this.#ids.set(id, call.id);
    relayed(agent, id);
  }

  /** Passes a notification on; without an agent nobody misses it. */
  pass(method: string, params: Fields): void {
    const { binding } = this.#parts.backing;
    binding?.agent.notify(method, { ...withoutHallKeys(params), sessionId: binding.agentSession });
  }

  #answer(call: Call, viewer: Viewer, reply: Reply, agent: Agent): void {
    const { answer, stream } = this.#parts;
    stream.commit();
    if (!reply.ok && reply.lost) agent.onGone(() => call.fail(agent.exitFailure()));
    else if (reply.ok && call.method === AgentMethod.setMode) this.#modeSet(call, viewer, reply.bytes);
    else if (reply.ok && call.method === AgentMethod.setConfigOption)
      this.#optionSet(call, viewer, reply.result);
    else answer(viewer, () => relayAnswer(call, reply));
  }

  #modeSet(call: Call, viewer: Viewer, bytes: Buffer): void {
    const { answer, backing, settled } = this.#parts;
    const { modeId } = call.params;
    if (backing.settings.enterMode(modeId)) settled();
    this.#tellOthers({ sessionUpdate: "current_mode_update", currentModeId: modeId });
    answer(viewer, () => call.relay(bytes));
  }

  #optionSet(call: Call, viewer: Viewer, result: unknown): void {
    const { answer, backing, options, settled } = this.#parts;
    const fields = resultOf(result);
    backing.settings.takeOptions(fields.configOptions);
    settled();
    const configOptions = options();
    this.#tellOthers({ sessionUpdate: "config_option_update", configOptions });
    answer(viewer, () => call.reply({ ...fields, configOptions }));
  }

  /** A choice that one client made is news to the others. */
  #tellOthers(update: Fields): void {
    const { stream } = this.#parts;
    if (stream.audience.length > 1) stream.tell(update);
  }
}

/** Answers with what the agent answered, every byte but the id as it came; what was no answer is said to be none. */
export function relayAnswer(call: Call, reply: Reply): void {
  if (reply.bytes) call.relay(reply.bytes);
  else if (!reply.ok) call.fail(new AgentError(reply.error.code, reply.error.message, reply.error.data));
}

/** Params as an agent gets them: `hall/…` keys of a `_meta` are between a client and the hall. */
export function withoutHallKeys(params: Fields): Fields {
  const { _meta, ...rest } = params;
  if (!isFields(_meta)) return params;
  const theirs = Object.entries(_meta).filter(([key]) => !isHallKey(key));
  return { ...rest, _meta: Object.fromEntries(theirs) };
}
