import { describe, expect, it } from "vitest";
import { checks } from "../../src/trial/checks/all.ts";
import { FAULTS, type Fault } from "./faulty-agent.ts";
import { tryOut } from "./try-out.ts";

/** What finds each fault, and nothing else does. */
const FOUND: Readonly<Record<Fault, readonly string[]>> = {
  "answers without id": ["session-new: deviates", "answers: deviates"],
  "asks without naming the call": ["question-call: deviates"],
  "calls left open": ["tool-ended: deviates"],
  "cancel answered with an error": [
    "cancel: deviates",
    "cancel-question: deviates",
    "cancel-tools: deviates",
  ],
  "cancel answered with end_turn": [
    "cancel: deviates",
    "cancel-question: deviates",
    "cancel-tools: deviates",
  ],
  "cancel ignored": ["cancel: deviates", "cancel-question: deviates", "cancel-tools: deviates"],
  "cancel kept for the next turn": ["cancel-idle: deviates"],
  "cancel waits for the question": ["tool-ended: noted"],
  "close missing": ["session-close: deviates"],
  "command survives a cancel": ["cancel-tools: noted"],
  "descendants left": ["left-behind: noted"],
  "dies in a turn": ["turn: deviates", "stays: deviates"],
  "ends at a bad line": ["bad-line: deviates"],
  "ends with code 3": ["eof: noted", "eof-turn: noted"],
  "EOF ignored": ["eof: deviates", "eof-turn: noted"],
  "error for a prompt": ["turn: noted"],
  "garbled prompt answer": ["messages: deviates"],
  "hangs with a question after a cancel": ["cancel-question: deviates"],
  "ids without type": ["string-id: deviates"],
  "initialize refused": ["start: deviates"],
  "initialize slow": ["start-time: noted"],
  "list missing": ["session-list: deviates"],
  "load missing": ["load: deviates"],
  "load replays after the answer": ["load: deviates"],
  "load replays nothing": ["load: deviates"],
  "load replays only the agent": ["load: deviates"],
  "load takes any session": ["session-unknown: deviates"],
  "mode refused": ["mode: deviates"],
  "mode taken though unknown": ["mode-unknown: deviates"],
  "never asks": ["question: noted"],
  "no JSON-RPC version": ["messages: deviates"],
  "no reject option": ["question-options: noted"],
  "no session id": ["session-new: deviates"],
  "no words": ["turn-says: noted"],
  "noise on stdout": ["stdout: deviates"],
  "notification answered": ["unknown-notification: deviates"],
  "option id twice": ["question-options: deviates"],
  "reads through the client": ["client-methods: deviates"],
  "refusal cancels": ["question-refused: noted"],
  "refusal ignored": ["question-refused: deviates"],
  "relative cwd taken": ["cwd-relative: noted"],
  "resume missing": ["resume: deviates"],
  "resume replays": ["resume: deviates"],
  "second prompt cancels the first": ["turn-second: noted"],
  "second prompt joins the first": ["turn-second: noted"],
  "second prompt lost": ["turn-second: deviates"],
  "SIGINT ignored": ["sigint: noted"],
  "SIGTERM ignored": ["sigterm: noted"],
  "stop reason of its own": ["turn: deviates"],
  "tool call twice": ["tool-once: deviates"],
  "tool unannounced": ["tool-announced: deviates"],
  "unknown method silent": ["unknown-method: deviates"],
  "unknown option allows": ["question-unknown: deviates"],
  "unknown session named": ["session-known: deviates"],
  "update after the answer": ["turn-late: deviates"],
  "update before the session": ["session-first: deviates"],
  "update without content": ["updates: deviates"],
  "version 99 echoed": ["version-offer: deviates"],
  "version as text": ["version: deviates"],
  "wants a login": [],
};

describe("a trial", () => {
  it("finds nothing in an agent without faults, and tries everything", async () => {
    const { outcomes } = await tryOut([]);
    expect(outcomes.filter(({ verdict }) => verdict !== "ok")).toEqual([]);
    expect(outcomes.map(({ id }) => id)).toEqual(checks.map(({ id }) => id));
  });

  it.each(FAULTS)("finds what is wrong, and that alone: %s", async (fault) => {
    const { wrong } = await tryOut([fault]);
    expect(wrong).toEqual(FOUND[fault]);
  });

  it("has a fault for each of its checks, so that none of them is idle", () => {
    const found = new Set(Object.values(FOUND).flatMap((some) => some.map((one) => one.split(":")[0])));
    expect(checks.map(({ id }) => id).filter((id) => !found.has(id))).toEqual([]);
  });

  it("says of whatever it finds what a hall makes of it, and how it is mended", async () => {
    for (const fault of ["cancel ignored", "EOF ignored", "load missing"] as const) {
      const { outcomes } = await tryOut([fault]);
      const told = outcomes.filter(({ verdict }) => verdict === "deviates" || verdict === "noted");
      for (const { hall, advice } of told)
        expect([hall, advice]).toEqual([expect.any(String), expect.any(String)]);
    }
  });

  it("sends no prompt when it is not to, and tries the rest", async () => {
    const { outcomes, recording } = await tryOut([], { speaks: false });
    expect(recording.asked("session/prompt")).toEqual([]);
    const verdicts = new Map(outcomes.map(({ id, verdict }) => [id, verdict]));
    expect(verdicts.get("turn")).toBe("not tried");
    expect(
      ["start", "session-new", "session-close", "eof", "bad-line", "sigterm", "sigint"].map((id) =>
        verdicts.get(id),
      ),
    ).toEqual(Array(7).fill("ok"));
  });

  it("says that an agent wants a login, and takes that for no fault", async () => {
    const { outcomes } = await tryOut(["wants a login"]);
    expect(outcomes.find(({ id }) => id === "session-new")?.found).toMatch(/wants a login first/);
    expect(outcomes.find(({ id }) => id === "turn")).toMatchObject({
      verdict: "not tried",
      found: "it wants a login first",
    });
  });

  it("allows the one command that it asked for, and refuses everything else", async () => {
    const { recording } = await tryOut([]);
    const chosen = recording
      .of("sent")
      .flatMap(({ message: { result }, scene }) =>
        JSON.stringify(result)?.includes('"yes"') ? [scene] : [],
      );
    expect(chosen).toEqual(["command"]);
  });
});
