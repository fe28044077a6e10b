import { failed, loginWanted } from "../failure.ts";
import { listIn, textOf } from "../native-line.ts";
import type { Opening } from "../opening.ts";
import type { Step } from "../step.ts";
import { availableCommands } from "../updates.ts";
import { send } from "./commands.ts";
import type { PiSession } from "./session.ts";

export function sessionArguments({ how, id, from }: Opening): string[] {
  if (how === "new") return [];
  return how === "fork" ? ["--fork", from ?? id] : ["--session", id];
}

export function opened(state: PiSession, sessionId: string): Step[] {
  const { opener, opening, commands } = state;
  state.opener = undefined;
  if (opener === undefined) return [];
  const named = opening.how === "new" || opening.how === "fork";
  const menu = commands.map((command) => ({
    name: textOf(command, "name"),
    description: textOf(command, "description"),
  }));
  const compact = { name: "compact", description: "Shorten the conversation so far", hint: "what to keep" };
  return [{ reply: opener, result: named ? { sessionId } : {} }, availableCommands([compact, ...menu])];
}

/** `why` undefined: pi has no model, for want of a key or a login. */
export function endOpening(state: PiSession, why: string | undefined): Step[] {
  const { opener } = state;
  state.opener = undefined;
  if (opener === undefined) return [];
  const wanted = loginWanted(
    "pi has no model that it may use: set a provider's key, or log in to one with pi.",
  );
  return [{ fail: opener, error: why === undefined ? wanted : failed(why, "agent_protocol") }];
}

export function replay(state: PiSession): Step {
  return send(state, { type: "get_messages" }, (data, error) => {
    if (error !== undefined) return endOpening(state, error);
    const history = listIn(data, "messages").flatMap((said) => state.transcript.remembered(said));
    state.transcript.endTurn();
    return [...history, ...opened(state, state.opening.id)];
  });
}
