import type { SceneName } from "../entry.ts";
import type { Stage } from "../stage.ts";

/** A piece of a trial: something that is done to the agent, so that what it does can be judged later. */
export interface Scene {
  readonly name: SceneName;
  /** What is done, for whoever watches. */
  readonly does: string;
  /** Prompts are sent in it. */
  readonly speaks?: true;
  play(stage: Stage): Promise<void>;
}
