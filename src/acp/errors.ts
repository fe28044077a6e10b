import type { ErrorBody } from "../wire/message.ts";

/** JSON-RPC's codes, and those that ACP adds (docs: protocol/error). Any other integer is legal and passes through. */
export const Code = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  cancelled: -32800,
  /** ACP: authentication required. The hall also uses it for its own failures, with a `data.kind`. */
  authRequired: -32000,
  notFound: -32002,
} as const;

const ERROR_KINDS = [
  "queue_full",
  "would_deadlock",
  "key_reused",
  "bad_cursor",
  "spawn_failed",
  "init_timeout",
  "agent_exited",
  "agent_protocol",
  "restore_failed",
  "turn_timeout",
  "interrupted",
  "journal_failed",
  "too_many_processes",
  "too_many_sessions",
  "shutting_down",
  "slot_failed",
  "slot_gone",
  "client_gone",
  "not_authorized",
  "no_client_capability",
  "graph_interrupted",
  "hall_loop",
] as const;

/** What went wrong in the hall, for programs: `error.data.kind`. */
export type ErrorKind = (typeof ERROR_KINDS)[number];

/** An error that goes over the wire: a JSON-RPC error object that can be thrown. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.name = "RpcError";
    this.code = code;
    this.data = data;
  }

  /** The error as it stands in a response. */
  get body(): ErrorBody {
    return {
      code: this.code,
      message: this.message,
      ...(this.data === undefined ? {} : { data: this.data }),
    };
  }
}

/** What an error looks like on the wire. A defect's own words stay in the log. */
export function errorBody(error: unknown): ErrorBody {
  if (error instanceof RpcError) return error.body;
  return { code: Code.internal, message: "This request met a defect of the hall; its log says more." };
}

export const invalidRequest = (message: string): RpcError => new RpcError(Code.invalidRequest, message);
export const invalidParams = (message: string, data?: unknown): RpcError =>
  new RpcError(Code.invalidParams, message, data);
export const methodNotFound = (method: string): RpcError =>
  new RpcError(Code.methodNotFound, `There is no method "${method}" here.`, { method });
export const requestCancelled = (what: string): RpcError =>
  new RpcError(Code.cancelled, `${what} was cancelled.`);
export const sessionNotFound = (sessionId: string): RpcError =>
  new RpcError(Code.notFound, "There is no such session.", { sessionId });

/** A failure of the hall's own, or of an agent behind it; `data.kind` says which. */
export class HallFailure extends RpcError {
  readonly kind: ErrorKind;

  constructor(kind: ErrorKind, message: string, data: Record<string, unknown> = {}) {
    super(Code.authRequired, message, { kind, ...data });
    this.name = "HallFailure";
    this.kind = kind;
  }

  /**
   * Zed and others show any -32000 as "log in" and drop its text. A client that has a login of its own gets
   * our failures as -32603; an agent's own -32000 stays what it is.
   */
  get bodyForLoginClient(): ErrorBody {
    return { ...this.body, code: Code.internal };
  }
}

/** What an error is, in a word: its `data.kind`, else what its code stands for. */
export function errorWord(error: unknown): string {
  if (!(error instanceof RpcError)) return "defect";
  if (typeof error.data === "object" && error.data !== null && "kind" in error.data)
    return String(error.data.kind);
  if (error.code === Code.invalidParams) return "invalid_params";
  return error.code === Code.notFound ? "not_found" : String(error.code);
}

export const failure = (kind: ErrorKind, message: string, data?: Record<string, unknown>): HallFailure =>
  new HallFailure(kind, message, data);

export const shuttingDown = (): HallFailure =>
  failure("shutting_down", "The hall is stopping; prompt again when it is back.");

/** An error that was recorded, as it was when it was made: one of the hall's own failures is that again. */
export function recordedError({ code, message, data }: ErrorBody): RpcError {
  if (code === Code.authRequired && typeof data === "object" && data !== null && "kind" in data) {
    const { kind, ...rest } = data;
    const known = ERROR_KINDS.find((one) => one === kind);
    if (known) return failure(known, message, rest);
  }
  return new RpcError(code, message, data);
}
