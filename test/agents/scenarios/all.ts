import { cancelCommand } from "./cancel-command.ts";
import { cancelQuestion } from "./cancel-question.ts";
import { cancelTalk } from "./cancel-talk.ts";
import { frozen } from "./frozen.ts";
import { hallKilled } from "./hall-killed.ts";
import { hallStopped } from "./hall-stopped.ts";
import type { Scenario } from "./scenario.ts";
import { talk } from "./talk.ts";
import { toolAllowed } from "./tool-allowed.ts";
import { toolRefused } from "./tool-refused.ts";
import { twoClients } from "./two-clients.ts";
import { twoPrompts } from "./two-prompts.ts";

/** In the order in which they are played: the last one leaves no hall. */
export const scenarios: readonly Scenario[] = [
  talk,
  toolAllowed,
  toolRefused,
  cancelTalk,
  cancelQuestion,
  twoPrompts,
  twoClients,
  cancelCommand,
  frozen,
  hallKilled,
  hallStopped,
];
