import { isFields } from "../acp/checks.ts";
import { messageOf } from "../ground/thrown.ts";
import { RequestFailed } from "../wire/peer.ts";
import { printable } from "./printable.ts";

/** What stderr says of a failure: its sentence, and under it what an agent behind it said last. */
export function complaint(error: unknown): string {
  const isLost = error instanceof RequestFailed && error.lost;
  const message = isLost ? "The connection to the hall was lost before it answered." : messageOf(error);
  return [`hall: ${message}`, ...stderrOf(error).map((line) => `  | ${line}`), ""].map(printable).join("\n");
}

/** The agent's last lines, of a failure that has some. */
function stderrOf(error: unknown): string[] {
  if (!(error instanceof RequestFailed) || !isFields(error.error.data)) return [];
  const { stderr } = error.error.data;
  if (typeof stderr === "string") return stderr.trimEnd().split("\n");
  return Array.isArray(stderr) ? stderr.map(String) : [];
}
