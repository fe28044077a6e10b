import type { Fields } from "../acp/checks.ts";
import { checks } from "./checks/all.ts";
import type { Judgement, Verdict } from "./judgement.ts";
import type { Recording } from "./recording.ts";
import { scenes } from "./scenes/all.ts";
import type { Scene } from "./scenes/scene.ts";
import { Stage, type StageParts } from "./stage.ts";

/** A check, and how the agent stood it. Null where there is nothing to say. */
export interface Outcome {
  id: string;
  title: string;
  verdict: Verdict;
  found: string;
  expected: string;
  hall: string | null;
  advice: string | null;
}

/** An agent, held against the protocol: scenes are played with it, and checks judge what was recorded. */
export class Trial {
  readonly recording: Recording;
  readonly #stage: Stage;
  readonly #watch: (scene: Scene) => void;

  constructor(parts: StageParts, watch: (scene: Scene) => void = () => {}) {
    this.recording = parts.recording;
    this.#stage = new Stage(parts);
    this.#watch = watch;
  }

  /** Plays all scenes. When it resolves nothing of the agent runs. */
  async run(): Promise<Outcome[]> {
    try {
      for (const scene of scenes) await this.#play(scene);
    } finally {
      await this.#stage.leave();
    }
    return judge(this.recording);
  }

  /** Nobody waits for the rest: what runs is ended by force. */
  giveUp(): Promise<void> {
    return this.#stage.giveUp();
  }

  async #play(scene: Scene): Promise<void> {
    this.recording.scene = scene.name;
    if (scene.speaks && !this.#stage.parts.prompts) {
      this.recording.add(0, { kind: "skipped", why: "no prompt was to be sent (--no-prompt)" });
      return;
    }
    this.#watch(scene);
    await scene.play(this.#stage);
  }
}

export const judge = (recording: Recording): Outcome[] =>
  checks.map(({ id, title, expected, judge: by }) => {
    const { verdict, found, hall, advice }: Judgement = by(recording);
    return { id, title, verdict, found, expected, hall: hall ?? null, advice: advice ?? null };
  });

/** Milliseconds that the first of each took; null: it was not answered. */
export const timesOf = (recording: Recording): Fields => {
  const took = (method: string): number | null => recording.asked(method)[0]?.reply?.took ?? null;
  return {
    initialize: took("initialize"),
    session: took("session/new"),
    turn: took("session/prompt"),
    load: took("session/load"),
    total: recording.entries.at(-1)?.at ?? 0,
  };
};
