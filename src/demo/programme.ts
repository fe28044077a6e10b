import type { Act } from "./act.ts";
import { cancel } from "./acts/cancel.ts";
import { closing } from "./acts/closing.ts";
import { comingBack } from "./acts/coming-back.ts";
import { opening } from "./acts/opening.ts";
import { turn } from "./acts/turn.ts";
import { waiting } from "./acts/waiting.ts";

/** The acts, in their order. */
export const PROGRAMME: readonly Act[] = [opening, turn, waiting, cancel, comingBack, closing];
