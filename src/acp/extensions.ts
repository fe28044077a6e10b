/** What a hall adds to ACP, which leaves method names that begin with `_`, and keys of `_meta`, to whoever makes them. */

/** The hall's own methods. */
export const HallMethod = {
  /** Whether the hall is still there, for whoever hears nothing of it for long. */
  ping: "_hall/ping",
  /** A client that gave itself a name will not come back. */
  farewell: "_hall/farewell",
  /** Tells a client with a name from where on it counts. */
  cursor: "_hall/cursor",
  status: "_hall/status",
  stop: "_hall/stop",
  reload: "_hall/reload",
  slots: "_hall/slots",
  turns: "_hall/turns",
  dropTurn: "_hall/queue/drop",
  cancel: "_hall/cancel",
  kill: "_hall/kill",
  sessions: "_hall/sessions",
  resetSession: "_hall/session/reset",
  questions: "_hall/permissions",
  answerQuestion: "_hall/permission/answer",
  permissionRules: "_hall/permission/rules",
  permissionLog: "_hall/permission/log",
  /** What agents said on stderr and what became of them; what follows comes as `logEntry`. */
  logs: "_hall/logs",
  logEntry: "_hall/log",
  /** What happens in the hall, which comes as `event`. */
  events: "_hall/events",
  event: "_hall/event",
} as const;

const METHODS = "_hall/";

/** One of the hall's own methods, known or not. */
export const isHallMethod = (method: string): boolean => method.startsWith(METHODS);

/** Keys of `_meta` between a client and a hall: docs/protocol.md says what each is. */
export const HallKey = {
  slots: "hall/slots",
  slot: "hall/slot",
  echo: "hall/echo",
  control: "hall/control",
  journal: "hall/journal",
  cursor: "hall/cursor",
  turn: "hall/turn",
  token: "hall/token",
  client: "hall/client",
  process: "hall/process",
  key: "hall/key",
  call: "hall/call",
  closed: "hall/closed",
  interrupt: "hall/interrupt",
  bound: "hall/bound",
  /** The ids of the halls that a session is asked for through, the first one first. */
  via: "hall/via",
} as const;

const KEYS = "hall/";

/** A key that is between a client and a hall, known or not: no agent gets it. */
export const isHallKey = (key: string): boolean => key.startsWith(KEYS);
