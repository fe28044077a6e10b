import type { Call } from "../acp/agent-side.ts";
import { type Fields, requiredString } from "../acp/checks.ts";
import { showAddress } from "../bridge/hall-address.ts";
import type { DiskTrouble } from "../ground/watched-disk.ts";
import type { Client } from "../hall/client.ts";
import type { Hall } from "../hall/hall.ts";
import { DeskControl } from "./desk-control.ts";
import type { Reload } from "./reload.ts";

/** Sessions that are listed to whoever does not say how many. */
const LISTED = 50;

/** Methods of this prefix are about the hall, not about a session. */
const PREFIX = "_hall/";

export interface ControlParts {
  hall(): Hall;
  stopAsked(): void;
  reload(): Pick<Reload, "asked" | "status">;
  /** What is wrong with the disk that the state lies on, if anything. */
  diskTrouble(): DiskTrouble | undefined;
}

/** The control methods: for clients with the scope `admin`, which is asked for before any method is looked up. */
export class Control {
  readonly #parts: ControlParts;
  readonly #desk: DeskControl;

  constructor(parts: ControlParts) {
    this.#parts = parts;
    this.#desk = new DeskControl(() => parts.hall());
  }

  /** False: there is no such method. */
  take(call: Call, client: Client): boolean {
    if (!call.method.startsWith(PREFIX)) return false;
    const answer = this.#answerTo(call.method, call.params) ?? this.#desk.answerTo(call, client);
    if (!answer) return false;
    const answered = answer();
    if (answered instanceof Promise) answered.then((result) => call.reply(result), call.fail.bind(call));
    else call.reply(answered);
    return true;
  }

  #answerTo(method: string, params: Fields): (() => object | Promise<object>) | undefined {
    const { sessions } = this.#parts.hall();
    switch (method) {
      case "_hall/status":
        return () => this.#status();
      case "_hall/sessions":
        return () => {
          const { sessionId, limit } = params;
          if (typeof sessionId === "string") return sessions.detail(sessionId);
          return sessions.report(typeof limit === "number" ? limit : LISTED);
        };
      case "_hall/session/reset":
        return async () => {
          await sessions.get(requiredString(params, "sessionId")).reset();
          return {};
        };
      case "_hall/reload":
        return () => this.#parts.reload().asked();
      case "_hall/stop":
        return () => {
          this.#parts.stopAsked();
          return {};
        };
      default:
        return undefined;
    }
  }

  #status(): object {
    const hall = this.#parts.hall();
    const trouble = this.#parts.diskTrouble();
    return {
      version: hall.version,
      pid: process.pid,
      startedAt: new Date(hall.startedAt).toISOString(),
      uptimeMs: hall.clock.now() - hall.startedAt,
      clients: hall.clients.size,
      sessions: hall.sessions.size,
      processes: hall.places.taken,
      memoryBytes: process.memoryUsage.rss(),
      disk: trouble
        ? { writable: false, since: new Date(trouble.since).toISOString(), error: trouble.message }
        : { writable: true },
      roster: this.#parts.reload().status,
      slots: [...hall.slots.all].map(({ name, config, units, agents, failed }) => ({
        name,
        title: config.title,
        ...(config.run.kind === "hall" ? { hall: showAddress(config.run.address) } : {}),
        processes: agents.size,
        turns: units.pending,
        waiting: units.size,
        ...(config.unavailable === undefined ? {} : { unavailable: config.unavailable }),
        ...(failed === undefined ? {} : { failed }),
      })),
    };
  }
}
