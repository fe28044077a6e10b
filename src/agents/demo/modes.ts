import type { Fields } from "../../acp/checks.ts";
import { invalidParams } from "../../acp/errors.ts";

/** Whether the agent asks before it uses a tool. */
export type Mode = "ask" | "accept";

const MODES: readonly { id: Mode; name: string; description: string }[] = [
  { id: "ask", name: "Ask", description: "Asks before it uses a tool." },
  { id: "accept", name: "Accept", description: "Uses its tools without asking." },
];

/** A session's modes as ACP's results carry them. */
export const modeState = (current: Mode): Fields => ({ currentModeId: current, availableModes: MODES });

/** Throws -32602, naming the modes that there are. */
export function readMode(modeId: string): Mode {
  const mode = MODES.find(({ id }) => id === modeId);
  if (mode) return mode.id;
  const names = MODES.map(({ id }) => id).join(", ");
  throw invalidParams(`There is no mode "${modeId}"; the modes are ${names}.`, { modeId });
}
