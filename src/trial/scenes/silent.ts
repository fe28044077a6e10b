import { AgentMethod } from "../../acp/methods.ts";
import { EOF_MS, type Stage, TERMINATE_MS } from "../stage.ts";
import type { Scene } from "./scene.ts";

export const start: Scene = {
  name: "start",
  does: "it is started, and opens a session",
  async play(stage) {
    const seat = await stage.seat();
    // What it tells of the new session comes now.
    await seat?.conversation.quiet(500);
  },
};

export const close: Scene = {
  name: "close",
  does: "the session is closed",
  async play(stage) {
    const seat = await stage.seat();
    if (!seat) return;
    const { conversation, sessionId } = seat;
    if (stage.can("list") && stage.lasting !== undefined)
      await stage.answer(conversation, "session/list", {});
    if (!stage.can("close")) return void conversation.skip("it does not offer it");
    await stage.answer(conversation, AgentMethod.closeSession, { sessionId });
    stage.unseat();
  },
};

export const eof: Scene = {
  name: "eof",
  does: "its stdin ends",
  async play(stage) {
    const conversation = await stage.process();
    if (!conversation) return;
    conversation.closeInput();
    await stage.watchEnd(conversation, EOF_MS);
  },
};

export const load: Scene = {
  name: "load",
  does: "a new process loads the session",
  play: (stage) => comeBack(stage, "load"),
};

export const resume: Scene = {
  name: "resume",
  does: "a new process resumes the session",
  play: (stage) => comeBack(stage, "resume"),
};

async function comeBack(stage: Stage, how: "load" | "resume"): Promise<void> {
  const conversation = await stage.process();
  if (!conversation) return;
  const has = how === "load" ? stage.capabilities.loadSession === true : stage.can("resume");
  const sessionId = stage.lasting;
  if (!has) return void conversation.skip("it does not offer it");
  if (sessionId === undefined) return void conversation.skip("there is no session in which a turn ran");
  const method = how === "load" ? AgentMethod.loadSession : AgentMethod.resumeSession;
  const asked = await stage.answer(conversation, method, { sessionId, ...stage.place });
  if (asked?.reply && !asked.reply.error && !asked.reply.malformed) stage.sit(conversation, sessionId);
  await conversation.quiet(500);
}

export const eofInTurn: Scene = {
  name: "eof-turn",
  does: "its stdin ends in the middle of a turn",
  speaks: true,
  async play(stage) {
    const seat = await stage.seat();
    const { prompts } = stage.parts;
    if (!seat || !prompts) return;
    const { conversation } = seat;
    const turn = stage.prompt(seat, prompts.long);
    await stage.untilRunning(seat, turn);
    if (turn()?.reply) conversation.skip("its turn ended before its stdin could");
    conversation.closeInput();
    await stage.watchEnd(conversation, EOF_MS);
  },
};

/** What no editor sends on purpose, and every agent gets one day. */
export const manners: Scene = {
  name: "manners",
  does: "it gets what it does not know",
  async play(stage) {
    const seat = await stage.seat();
    if (!seat) return;
    const { conversation, sessionId } = seat;
    await stage.answer(conversation, "_hall.try/unknown", { sessionId });
    const { answer } = stage.parts.patience;
    const named = conversation.ask("_hall.try/unknown", { sessionId }, "hall-try-a-string");
    await conversation.until(() => named()?.reply !== undefined, answer);
    conversation.notify("_hall.try/unknown", { sessionId });
    conversation.notify("$/hall_try_unknown", {});
    // It answers in order, so what it makes of those is there with this answer; and so below.
    await stage.answer(conversation, "_hall.try/silence", { sessionId });
    conversation.garble("This line is no JSON.");
    conversation.garble("");
    await stage.answer(conversation, "_hall.try/after", { sessionId });
    await conversation.quiet(200);
    if (conversation.gone) return;
    await changeSettings(stage, sessionId);
    await stage.answer(conversation, AgentMethod.newSession, { cwd: "relative/folder", mcpServers: [] });
    const unknown = { sessionId: "00000000-0000-4000-8000-00000000dead" };
    if (stage.capabilities.loadSession === true)
      await stage.answer(conversation, AgentMethod.loadSession, { ...unknown, ...stage.place });
    else if (stage.can("resume"))
      await stage.answer(conversation, AgentMethod.resumeSession, { ...unknown, ...stage.place });
    else await stage.answer(conversation, AgentMethod.setMode, { ...unknown, modeId: "none" });
  },
};

/** Each is set to what it is. */
async function changeSettings(stage: Stage, sessionId: string): Promise<void> {
  const conversation = await stage.process();
  const { currentModeId } = stage.modes;
  if (!conversation || typeof currentModeId !== "string") return;
  await stage.answer(conversation, AgentMethod.setMode, { sessionId, modeId: currentModeId });
  await stage.answer(conversation, AgentMethod.setMode, { sessionId, modeId: "hall-try-no-such-mode" });
}

export const sigterm: Scene = {
  name: "sigterm",
  does: "it gets a SIGTERM",
  play: (stage) => endBy(stage, "SIGTERM"),
};

/** In a process of its own, which is good for nothing else: a version that nobody has. */
export const offer: Scene = {
  name: "offer",
  does: "a version of the protocol is offered that nobody has",
  async play(stage) {
    await stage.leave();
    const conversation = stage.start();
    if (conversation) await stage.introduce(conversation, 99);
  },
};

export const sigint: Scene = {
  name: "sigint",
  does: "it gets a SIGINT",
  play: (stage) => endBy(stage, "SIGINT"),
};

async function endBy(stage: Stage, signal: "SIGINT" | "SIGTERM"): Promise<void> {
  const seat = stage.parts.recording.scene === "sigterm" ? await stage.seat() : undefined;
  const conversation = seat?.conversation ?? (await stage.process());
  if (!conversation) return;
  if (conversation.agent.pid === undefined) {
    conversation.skip("it has no process of its own just then");
    return stage.leave();
  }
  conversation.signal(signal);
  await stage.watchEnd(conversation, TERMINATE_MS);
}
