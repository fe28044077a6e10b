import { HallMethod, isHallMethod } from "../acp/extensions.ts";
import { AgentMethod, isExtension } from "../acp/methods.ts";
import type { Scope } from "./grant.ts";

const NEEDED: ReadonlyMap<string, Scope> = new Map([
  [AgentMethod.listSessions, "observe"],
  [AgentMethod.loadSession, "observe"],
  [AgentMethod.resumeSession, "observe"],
  [AgentMethod.newSession, "prompt"],
  ["session/fork", "prompt"],
  [AgentMethod.prompt, "prompt"],
  [AgentMethod.closeSession, "prompt"],
  [AgentMethod.deleteSession, "prompt"],
  [AgentMethod.setMode, "prompt"],
  [AgentMethod.setConfigOption, "prompt"],
]);

/**
 * What a request needs; undefined: nothing, or there is no such method. `isShared`: others than the hall's own user may
 * come in, and an agent's login is everybody's.
 */
export function neededFor(method: string, isShared: boolean): Scope | undefined {
  // A sign of life, which anybody may ask for.
  if (isHallMethod(method)) return method === HallMethod.ping ? undefined : "admin";
  if (method === AgentMethod.authenticate || method === AgentMethod.logout)
    return isShared ? "admin" : "prompt";
  return NEEDED.get(method) ?? (isExtension(method) ? "prompt" : undefined);
}
