import type { Call } from "../acp/agent-side.ts";
import { type Fields, optionalString } from "../acp/checks.ts";
import { invalidParams } from "../acp/errors.ts";
import { HallMethod } from "../acp/extensions.ts";
import type { LogOf } from "../hall/agent-log.ts";
import type { AgentRun, LogEntry } from "../hall/agent-run.ts";
import type { Client } from "../hall/client.ts";
import type { Hall } from "../hall/hall.ts";
import { Feed } from "./feed.ts";

/** Entries of a log that are told to whoever does not say how many. */
const TOLD_ENTRIES = 200;

/** What one client follows: each kind once, until its connection is over. */
type Following = Map<string, () => void>;

/** Control methods for whoever watches: events, and the logs of agents. */
export class WatchControl {
  readonly #hall: () => Hall;
  readonly #following = new Map<Client, Following>();

  constructor(hall: () => Hall) {
    this.#hall = hall;
  }

  /** Undefined: there is no such method. */
  answerTo({ method, params }: Call, client: Client): (() => object) | undefined {
    switch (method) {
      case HallMethod.events:
        return () => this.#events(prefixesIn(params.filter), client);
      case HallMethod.logs:
        return () => this.#logs(params, client);
      default:
        return undefined;
    }
  }

  #events(prefixes: readonly string[], client: Client): object {
    const { clock, events } = this.#hall();
    const ts = (): string => new Date(clock.now()).toISOString();
    const feed = new Feed(client, (missed) => ({
      method: HallMethod.event,
      params: { type: "events.dropped", ts: ts(), count: missed },
    }));
    const unwatch = events.watch((type, payload) => {
      if (prefixes.some((prefix) => type.startsWith(prefix)))
        feed.send(HallMethod.event, { type, ts: ts(), ...payload });
    });
    this.#follow(client, HallMethod.events, () => {
      unwatch();
      feed.end();
    });
    return {};
  }

  #logs(params: Fields, client: Client): object {
    const { log, startedAt } = this.#hall();
    const whose = this.#whose(params);
    const { entries, dropped, since } = log.of(whose);
    const { limit = TOLD_ENTRIES, follow = false } = params;
    if (typeof limit !== "number" || !Number.isInteger(limit) || limit < 0)
      throw invalidParams('"limit" must be a whole number from 0 on.');
    if (typeof follow !== "boolean") throw invalidParams('"follow" must be true or false.');
    if (follow) this.#followLog(whose, client);
    const told = limit === 0 ? [] : entries.slice(-limit);
    return {
      ...whose,
      /** Since when all is kept, but for entries that made way to newer ones of the same process. */
      since: new Date(since).toISOString(),
      hallStartedAt: new Date(startedAt).toISOString(),
      dropped: dropped + entries.length - told.length,
      entries: told.map(({ run, entry }) => entryTold(run, entry)),
    };
  }

  #followLog(whose: LogOf, client: Client): void {
    const { clock, log } = this.#hall();
    const feed = new Feed(client, (missed) => ({
      method: HallMethod.logEntry,
      params: { what: "dropped", ts: new Date(clock.now()).toISOString(), count: missed },
    }));
    const unwatch = log.watch(whose, (run, entry) => feed.send(HallMethod.logEntry, entryTold(run, entry)));
    this.#follow(client, HallMethod.logs, () => {
      unwatch();
      feed.end();
    });
  }

  /** What the client followed before by this method is not followed any more. */
  #follow(client: Client, method: string, stop: () => void): void {
    const following = this.#following.get(client) ?? this.#begin(client);
    following.get(method)?.();
    following.set(method, stop);
  }

  #begin(client: Client): Following {
    const following: Following = new Map();
    this.#following.set(client, following);
    client.onClosed(() => {
      this.#following.delete(client);
      for (const stop of following.values()) stop();
    });
    return following;
  }

  #whose(params: Fields): LogOf {
    const hall = this.#hall();
    const slot = optionalString(params, "slot");
    const sessionId = optionalString(params, "sessionId");
    if ((slot === undefined) === (sessionId === undefined))
      throw invalidParams('Either "slot" or "sessionId" is required: whose log it is.');
    if (sessionId !== undefined) return { sessionId: hall.sessions.named(sessionId).id };
    return { slot: hall.slots.choose(slot).name };
  }
}

/** What the types of events are to begin with. Throws -32602. */
function prefixesIn(filter: unknown): string[] {
  const prefixes: unknown[] = Array.isArray(filter) ? filter : [filter ?? ""];
  return prefixes.map((prefix) => {
    if (typeof prefix === "string") return prefix;
    throw invalidParams('"filter" must be the beginning of a type of event, as "turn.", or a list of such.');
  });
}

function entryTold(run: AgentRun, { at, what, text, pid, process }: LogEntry): object {
  const { slot, sessionId } = run;
  return {
    ts: new Date(at).toISOString(),
    what,
    text,
    slot,
    sessionId: sessionId ?? null,
    pid: pid ?? null,
    process: process ?? null,
  };
}
