import { failure } from "../acp/errors.ts";
import type { Session } from "./session.ts";

/**
 * Refuses a prompt that comes from inside an agent process (`mark`) and could only wait for that process's own turn:
 * neither would ever end. Throws `would_deadlock`.
 */
export function refuseDeadlock(session: Session, mark: string, live: readonly Session[]): void {
  const sentence = deadlock(session, mark, live);
  if (sentence !== undefined) throw failure("would_deadlock", sentence);
}

function deadlock(session: Session, mark: string, live: readonly Session[]): string | undefined {
  if (session.runsIn === mark)
    return "This prompt would wait for the very turn that it comes from; send it to another session, or with hall prompt --detach.";
  const { name, config } = session.slot;
  const running = live.filter(({ slot, runsIn }) => slot === session.slot && runsIn !== undefined);
  if (running.length < config.concurrency || running.some(({ runsIn }) => runsIn !== mark)) return undefined;
  return `The slot ${name} runs no more turns at a time (concurrency: ${config.concurrency}) than the one that this prompt comes from; send it to another slot, give this one more concurrency, or use hall prompt --detach.`;
}
