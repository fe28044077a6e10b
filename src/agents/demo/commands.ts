import type { Fields } from "../../acp/checks.ts";
import type { Scene } from "./scenes/scene.ts";

/** The programme as slash commands, for a client's menu: `/plan` says the word "plan". */
export const commands = (programme: readonly Scene[]): Fields[] =>
  programme.map(({ words: [name], does, hint }) => ({
    name,
    description: does,
    ...(hint === undefined ? {} : { input: { hint } }),
  }));
