import type { Check } from "../judgement.ts";
import { cancelling } from "./cancelling.ts";
import { ending } from "./ending.ts";
import { lines } from "./lines.ts";
import { manners } from "./manners.ts";
import { questions } from "./questions.ts";
import { restoring } from "./restoring.ts";
import { starting } from "./starting.ts";
import { tools } from "./tools.ts";
import { turns } from "./turns.ts";

/** In the order in which they are told. */
export const checks: readonly Check[] = [
  ...starting,
  ...lines,
  ...turns,
  ...tools,
  ...questions,
  ...cancelling,
  ...restoring,
  ...manners,
  ...ending,
];
