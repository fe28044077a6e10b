import { echo } from "./scenes/echo.ts";
import { error } from "./scenes/error.ts";
import { plan } from "./scenes/plan.ts";
import type { Scene } from "./scenes/scene.ts";
import { slow } from "./scenes/slow.ts";
import { think } from "./scenes/think.ts";
import { tool } from "./scenes/tool.ts";
import { tour } from "./scenes/tour.ts";

/** The scenes that can be asked for by a word. */
export const PROGRAMME: readonly Scene[] = [tour, plan, tool, slow, think, error, echo];

/** The scene of the first word that names one; else the tour for whoever is new, and an echo after that. */
export function sceneFor(prompt: string, isFresh: boolean): Scene {
  const words = prompt.toLowerCase().match(/\p{L}+/gu) ?? [];
  const named = words.flatMap((word) => PROGRAMME.find((scene) => scene.words.includes(word)) ?? []);
  return named[0] ?? (isFresh ? tour : echo);
}
