import { ClientMethod } from "../../acp/methods.ts";
import { allowTheCommand, answerUnknown, leaveOpen } from "../answering.ts";
import type { Asked } from "../recording.ts";
import type { Seat, Stage } from "../stage.ts";
import type { Scene } from "./scene.ts";

/** ms: how long the second of two prompts is watched, and a command runs before it is cancelled. */
const OVERLAP_MS = 3_000;
const RUNNING_MS = 1_500;
/** ms: after a cancel a command may take so long to end. */
const TOOL_END_MS = 2_000;

export const talk: Scene = {
  name: "talk",
  does: "an ordinary turn",
  speaks: true,
  async play(stage) {
    const seat = await stage.seat();
    const { prompts, patience } = stage.parts;
    if (!seat || !prompts) return;
    const turn = stage.prompt(seat, prompts.talk);
    await seat.conversation.until(() => turn()?.reply !== undefined, patience.answer);
    await stage.endTurn(seat, turn);
  },
};

/** A cancel in the idle session, which must not hurt the turn that comes; then one in the middle of that. */
export const cancel: Scene = {
  name: "cancel",
  does: "a turn is cancelled in the middle",
  speaks: true,
  async play(stage) {
    const seat = await stage.seat();
    if (!seat || !stage.parts.prompts) return;
    seat.conversation.cancel(seat.sessionId);
    const turn = stage.prompt(seat, stage.parts.prompts.long);
    await stage.untilRunning(seat, turn);
    await stage.endTurn(seat, turn);
  },
};

export const overlap: Scene = {
  name: "overlap",
  does: "a second prompt comes while a turn runs",
  speaks: true,
  async play(stage) {
    const seat = await stage.seat();
    const { prompts, patience } = stage.parts;
    if (!seat || !prompts) return;
    const { conversation, sessionId } = seat;
    const first = stage.prompt(seat, prompts.long);
    await stage.untilRunning(seat, first);
    if (first()?.reply) return void conversation.skip("the first turn ended before the second came");
    const second = stage.prompt(seat, prompts.talk);
    await conversation.within(
      () => first()?.reply !== undefined || second()?.reply !== undefined,
      OVERLAP_MS,
    );
    if (!first()?.reply) {
      conversation.cancel(sessionId);
      await conversation.until(() => first()?.reply !== undefined, patience.cancel);
    }
    if (first()?.reply) await conversation.until(() => second()?.reply !== undefined, patience.answer);
    await stage.afterTurn(seat, first()?.reply ? second : first);
  },
};

export const refuseQuestion: Scene = {
  name: "refuse",
  does: "a command is refused",
  speaks: true,
  async play(stage) {
    const seat = await seatThatAsks(stage);
    if (!seat || !stage.parts.prompts) return;
    const turn = stage.prompt(seat, stage.parts.prompts.tool);
    await untilAnswered(stage, seat, turn);
    await stage.endTurn(seat, turn);
  },
};

export const unknownOption: Scene = {
  name: "unknown-option",
  does: "a question is answered with an option that it does not offer",
  speaks: true,
  async play(stage) {
    const seat = await seatThatAsked(stage);
    if (!seat || !stage.parts.prompts) return;
    seat.conversation.answering = answerUnknown();
    const turn = stage.prompt(seat, stage.parts.prompts.tool);
    await untilAnswered(stage, seat, turn);
    await stage.endTurn(seat, turn);
  },
};

export const cancelQuestion: Scene = {
  name: "cancel-question",
  does: "a turn is cancelled while its question is open",
  speaks: true,
  async play(stage) {
    const seat = await seatThatAsked(stage);
    const { prompts, patience } = stage.parts;
    if (!seat || !prompts) return;
    const { conversation, sessionId } = seat;
    conversation.answering = leaveOpen;
    const turn = stage.prompt(seat, prompts.tool);
    await conversation.until(() => questions(stage) > 0 || turn()?.reply !== undefined, patience.answer);
    if (questions(stage) === 0) conversation.skip("it asked nothing this time");
    else {
      conversation.cancel(sessionId);
      await conversation.within(() => turn()?.reply !== undefined, patience.cancel);
      // What some agents wait for, and every client owes them.
      conversation.settleQuestions();
      await conversation.until(() => turn()?.reply !== undefined, patience.cancel);
    }
    await (turn()?.reply ? stage.afterTurn(seat, turn) : stage.leave());
  },
};

export const command: Scene = {
  name: "command",
  does: "a turn is cancelled while its command runs",
  speaks: true,
  async play(stage) {
    const seat = await seatThatAsks(stage);
    const { prompts, patience, commandOf } = stage.parts;
    if (!seat || !prompts) return;
    const { conversation } = seat;
    const before = conversation.agent.toolsSnapshot();
    if (!before) return void conversation.skip("its processes cannot be told here");
    const fresh = (): string[] =>
      [...(conversation.agent.toolsSnapshot() ?? [])].filter((one) => !before.has(one));
    conversation.answering = allowTheCommand;
    const turn = stage.prompt(seat, prompts.tool);
    const isOver = (): boolean => turn()?.reply !== undefined;
    const runs = (): boolean => fresh().some((one) => commandOf(one).includes("tail -f /dev/null"));
    await conversation.within(() => runs() || isOver(), patience.answer);
    if (isOver() || !runs()) {
      conversation.skip("it ran no command that could be cancelled");
      return stage.endTurn(seat, turn);
    }
    await conversation.within(isOver, RUNNING_MS);
    await stage.endTurn(seat, turn);
    if (conversation.gone) return;
    await conversation.within(() => fresh().length === 0, TOOL_END_MS);
    conversation.looked(fresh().map(commandOf));
  },
};

const questions = ({ parts }: Stage): number =>
  parts.recording.called(ClientMethod.requestPermission, parts.recording.scene).length;

/** Until the turn is over, or a command runs that nobody allowed. */
async function untilAnswered(stage: Stage, seat: Seat, turn: () => Asked | undefined): Promise<void> {
  const { commandOf, patience } = stage.parts;
  const { conversation } = seat;
  const before = conversation.agent.toolsSnapshot();
  const runs = (): boolean =>
    [...(conversation.agent.toolsSnapshot() ?? [])].some(
      (one) => before !== undefined && !before.has(one) && commandOf(one).includes("tail -f /dev/null"),
    );
  await conversation.until(() => turn()?.reply !== undefined || runs(), patience.answer);
  // One that was started may be about to be asked about all the same.
  if (turn()?.reply === undefined) await conversation.within(() => turn()?.reply !== undefined, RUNNING_MS);
}

/** The session, in a mode in which the agent is known to ask. */
async function seatThatAsks(stage: Stage): Promise<Seat | undefined> {
  const seat = await stage.seat();
  const { askingMode } = stage.parts;
  if (seat && askingMode !== undefined)
    await stage.answer(seat.conversation, "session/set_mode", {
      sessionId: seat.sessionId,
      modeId: askingMode,
    });
  return seat;
}

async function seatThatAsked(stage: Stage): Promise<Seat | undefined> {
  const { recording } = stage.parts;
  if (recording.called(ClientMethod.requestPermission, "refuse").length > 0) return seatThatAsks(stage);
  (await stage.process())?.skip(
    recording.skipped("refuse") ?? "it asked nothing when it was to run a command",
  );
  return undefined;
}
