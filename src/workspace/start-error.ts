import { Code, invalidParams, RpcError } from "../acp/errors.ts";
import { codeOf, messageOf } from "../ground/thrown.ts";

/** Node's error about a program that could not be started, as the agent gets it. */
export function startError(program: string, error: unknown): RpcError {
  const code = codeOf(error) ?? "unknown";
  const data = { command: program, code };
  // For a name, EACCES can also mean that a folder of the PATH may not be looked into.
  const isMissing = code === "ENOENT" || code === "EACCES";
  if (isMissing && !program.includes("/")) {
    return invalidParams(`There is no program "${program}" on the PATH that the hall's user may run.`, data);
  }
  if (code === "ENOENT") {
    return invalidParams(
      `There is no program ${program}, or not the interpreter that its first line names.`,
      data,
    );
  }
  if (code === "EACCES") {
    return invalidParams(`The file ${program} may not be executed by the hall's user.`, data);
  }
  return new RpcError(
    Code.internal,
    `The program ${program} could not be started: ${messageOf(error)}.`,
    data,
  );
}
