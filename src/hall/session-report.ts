import type { Fields } from "../acp/checks.ts";
import type { Summary } from "./catalog.ts";
import type { TurnMemory } from "./memory.ts";
import type { Session } from "./session.ts";

/** A session as `hall sessions` lists it: ids, times and sizes. `live`: where it is in memory. */
export function sessionRow(summary: Summary, live: Session | undefined): Fields {
  const { id, slot, cwd, title, updatedAt, turns, bytes } = summary;
  return {
    sessionId: id,
    slot,
    cwd,
    title: title ?? null,
    updatedAt: time(updatedAt),
    turns,
    bytes: live ? live.stream.end : bytes,
    state: live?.turns.running?.state ?? (live && live.turns.open.length > 0 ? "queued" : "idle"),
    waiting: live?.files.memory.waiting.size ?? 0,
    clients: live?.stream.audience.length ?? 0,
    agent: live?.hasAgent ?? false,
  };
}

/** All that the hall knows of one, but what its MCP servers are given: that is secret. */
export function sessionDetail(summary: Summary, session: Session, journalName: string): Fields {
  const { memory, folder, journal } = session.files;
  return {
    ...sessionRow(summary, session),
    createdAt: time(memory.createdAt),
    additionalDirectories: memory.additionalDirectories,
    journal: journalName,
    cursor: session.stream.end,
    agentSession: memory.bound?.agentSession ?? null,
    way: memory.bound?.way ?? null,
    ...session.settingsResult,
    folder,
    file: journal.file.path,
    history: [...memory.turns.values()].map(turnRow),
  };
}

function turnRow({ id, acceptedAt, started, ended }: TurnMemory): Fields {
  return {
    turn: id,
    acceptedAt: time(acceptedAt),
    startedAt: started ? time(started.at) : null,
    endedAt: ended ? time(ended.at) : null,
    from: started?.from ?? null,
    to: ended?.to ?? null,
    ...(ended && "result" in ended.outcome ? { stopReason: ended.outcome.result.stopReason } : {}),
    ...(ended && "error" in ended.outcome ? { error: ended.outcome.error } : {}),
  };
}

const time = (ms: number): string => new Date(ms).toISOString();
