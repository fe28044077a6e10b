import { fieldsOf } from "../../acp/checks.ts";
import { AgentMethod } from "../../acp/methods.ts";
import { knownAgents } from "../../agents/registry.ts";
import type { Clock } from "../../ground/clock.ts";
import { listIn, withHall } from "../ask-hall.ts";
import type { HallChoice } from "../find-hall.ts";
import { slotsOf } from "../slots-of.ts";
import type { Candidate, KnownNames } from "./candidates.ts";

/** A person waits with a finger on Tab. */
const PATIENCE_MS = 500;

/**
 * The names that a line could mean: of the hall that it is about, or of its roster where none runs. Where neither can be
 * read there are none: a shell that completes has no place for an error.
 */
export function knownNames(choice: HallChoice, clock: Clock): KnownNames {
  const soon = (work: Promise<Candidate[]>): Promise<Candidate[]> =>
    new Promise((resolve) => {
      const giveUp = clock.after(PATIENCE_MS, () => resolve([]));
      work
        .catch(() => [])
        .then((names) => {
          giveUp();
          resolve(names);
        });
    });
  return {
    slots: () => soon(slotsOfHall(choice).catch(() => slotsOfRoster(choice))),
    sessions: () => soon(sessionsOfHall(choice)),
    agents: async () => knownAgents.map(({ id, title }) => ({ value: id, about: title })),
  };
}

const slotsOfHall = (choice: HallChoice): Promise<Candidate[]> =>
  withHall(choice, async ({ introduction }) => slotsOf(introduction).map(slotNamed));

async function slotsOfRoster({ config }: HallChoice): Promise<Candidate[]> {
  const { loadRoster, rosterFile } = await import("../chosen-roster.ts");
  return loadRoster(rosterFile(config)).slots.map(slotNamed);
}

/** The newest: whoever wants an old one has its id from somewhere. */
const sessionsOfHall = (choice: HallChoice): Promise<Candidate[]> =>
  withHall(choice, async (hall) => {
    const sessions = listIn(fieldsOf(await hall.ask(AgentMethod.listSessions, {})), "sessions");
    return sessions.map(({ sessionId, title }) => ({ value: String(sessionId), about: String(title ?? "") }));
  });

/** A slot without a title of its own has its name for one. */
const slotNamed = ({ name, title }: { name: string; title: string }): Candidate => ({
  value: name,
  about: title === name ? "" : title,
});
