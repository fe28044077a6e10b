import type { Call } from "../acp/agent-side.ts";
import { failure } from "../acp/errors.ts";
import type { Client } from "../hall/client.ts";
import type { Hall } from "../hall/hall.ts";

/** Methods of this prefix are about the hall, not about a session. */
const PREFIX = "_hall/";

/** The control methods: for whoever is proven to be the hall's own user, on its UNIX socket. */
export class Control {
  readonly #hall: () => Hall;
  readonly #stopAsked: () => void;

  constructor(hall: () => Hall, stopAsked: () => void) {
    this.#hall = hall;
    this.#stopAsked = stopAsked;
  }

  /** False: there is no such method. Throws `not_authorized`. */
  take(call: Call, client: Client): boolean {
    if (!call.method.startsWith(PREFIX)) return false;
    const answer = this.#answerTo(call.method);
    if (!answer) return false;
    if (client.origin.via !== "unix") {
      throw failure(
        "not_authorized",
        `${call.method} needs the scope admin: call it on the hall's UNIX socket.`,
      );
    }
    call.reply(answer());
    return true;
  }

  #answerTo(method: string): (() => object) | undefined {
    switch (method) {
      case "_hall/status":
        return () => this.#status();
      case "_hall/stop":
        return () => {
          this.#stopAsked();
          return {};
        };
      default:
        return undefined;
    }
  }

  #status(): object {
    const hall = this.#hall();
    return {
      version: hall.version,
      pid: process.pid,
      startedAt: new Date(hall.startedAt).toISOString(),
      uptimeMs: hall.clock.now() - hall.startedAt,
      clients: hall.clients.size,
      sessions: hall.sessions.size,
      processes: hall.places.taken,
      memoryBytes: process.memoryUsage.rss(),
      slots: [...hall.slots.all].map(({ name, config, units, agents, failed }) => ({
        name,
        title: config.title,
        processes: agents.size,
        turns: units.pending,
        waiting: units.size,
        ...(config.unavailable === undefined ? {} : { unavailable: config.unavailable }),
        ...(failed === undefined ? {} : { failed }),
      })),
    };
  }
}
