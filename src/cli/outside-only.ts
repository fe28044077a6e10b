import { MARK_VARIABLE } from "../agents/mark.ts";
import { NotAllowed } from "./usage.ts";

/**
 * For commands by which an agent would free itself of what binds it, or end the work of others: inside of one they
 * throw NotAllowed. `what`: that an agent does not do, as "stops the hall that it runs in".
 */
export function outsideOnly(command: string, what: string, env = process.env): void {
  if (env[MARK_VARIABLE] === undefined) return;
  throw new NotAllowed(`An agent does not ${what}; call ${command} outside of it.`);
}
