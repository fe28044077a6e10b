import { AgentMethod, CANCEL } from "../acp/methods.ts";
import type { Entry, SceneName } from "./entry.ts";
import type { Asked, Recording } from "./recording.ts";
import { type Update, updateIn } from "./update.ts";

/** A prompt of the trial, and what came of it. */
export interface Turn extends Asked {
  /** Of its session, up to its answer. */
  readonly updates: readonly Update[];
  /** The cancel that was sent while it ran. */
  readonly cancelled: Entry | undefined;
  /** Undefined: it was not answered, or with an error. */
  readonly stopReason: unknown;
}

export const turnsOf = (recording: Recording, scene?: SceneName): Turn[] =>
  recording.asked(AgentMethod.prompt, scene).map((asked) => {
    const during = recording.between(asked.sent, asked.reply?.entry);
    const updates = during.flatMap((entry) => updateIn(entry) ?? []);
    return {
      ...asked,
      updates: updates.filter(({ sessionId }) => sessionId === asked.params.sessionId),
      cancelled: during.find((entry) => entry.kind === "sent" && entry.message.method === CANCEL),
      stopReason: asked.reply?.result.stopReason,
    };
  });
