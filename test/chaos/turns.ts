import type { Dice } from "../doubles/dice.ts";
import type { Step } from "../doubles/scripted-agent/script.ts";

/** A turn of a script, and whether somebody must cancel it so that it ends. */
export interface ChaoticTurn {
  readonly steps: Step[];
  readonly endless: boolean;
}

/** Something that agents do: work, mostly. Its first chunk says its key, so that each time it ran can be told. */
export function chaoticTurn(key: string, dice: Dice): ChaoticTurn {
  const begin: Step = { say: `<${key}>` };
  const tool: Step = { tool: { id: `t-${key}`, title: "work", kind: "other", status: "pending" } };
  const some = (most: number): Step => ({ burst: { count: 1 + dice.below(most), text: key } });
  const finite = (...steps: Step[]): ChaoticTurn => ({ steps: [begin, ...steps], endless: false });
  const endless = (...steps: Step[]): ChaoticTurn => ({ steps: [begin, ...steps], endless: true });
  switch (dice.below(10)) {
    case 0:
      return finite(tool, some(50), { exit: 3 });
    case 1:
      return finite(some(50), { kill: "SIGKILL" });
    case 2:
      return endless(tool, some(20), { wait: "cancel" });
    case 3:
      return endless(some(20), { wait: "forever" });
    case 4:
      return finite({ raw: "this is no message" }, { raw: "{}" }, some(300), { raw: "[1, 2]" });
    case 5:
      return finite({ bigText: 200_000 }, some(10));
    default:
      return finite(tool, some(500), { ask: { tool: { id: `q-${key}`, title: "ask" } } }, some(100));
  }
}
