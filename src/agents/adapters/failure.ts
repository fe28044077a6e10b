import { Code, invalidParams, methodNotFound } from "../../acp/errors.ts";
import type { ErrorBody } from "../../wire/message.ts";
import type { ChildExit } from "./adapter.ts";

/** Data beside an error: what went wrong, for programs, and what is known of it. */
type Details = Readonly<Record<string, unknown>>;

/** Something that the program behind an adapter says, or makes us say, went wrong: never text of the agent's. */
export const failed = (message: string, kind: string, details: Details = {}): ErrorBody => ({
  code: Code.internal,
  message,
  data: { kind, ...details },
});

/** The program wants a login. ACP's own code for it, with which editors offer one. */
export const loginWanted = (message: string, authMethods: readonly object[] = []): ErrorBody => ({
  code: Code.authRequired,
  message,
  data: { kind: "not_logged_in", authMethods },
});

/** The program knows no such session. */
export const noSession = (sessionId: string, what = "There is no such session."): ErrorBody => ({
  code: Code.notFound,
  message: what,
  data: { sessionId },
});

export const wrongParams = (message: string, details: Details = {}): ErrorBody =>
  invalidParams(message, details).body;

export const noSuchMethod = (method: string): ErrorBody => methodNotFound(method).body;

/** How a child ended that was not to end, with its last words. */
export function exitFailure(title: string, exit: ChildExit): ErrorBody {
  const { code, signal, stderr } = exit;
  const how = signal === null ? `ended with exit code ${code ?? "unknown"}` : `was ended by ${signal}`;
  const last = stderr.at(-1);
  const said = last ? ` Its last words: ${last}` : "";
  return failed(`${title} ${how}.${said}`, "agent_exited", {
    ...(code === null ? {} : { exitCode: code }),
    ...(signal === null ? {} : { signal }),
    stderr,
  });
}
