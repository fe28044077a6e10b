import { describe, expect, it } from "vitest";
import { PlanBoard } from "../../src/demo/plan-board.ts";
import { Transcript } from "../../src/demo/transcript.ts";
import { paper } from "./paper.ts";

const plan = (...statuses: string[]) => ({
  sessionUpdate: "plan",
  entries: statuses.map((status, index) => ({ content: `entry ${index + 1}`, status, priority: "low" })),
});

function board(columns?: number) {
  const { stage, text } = paper(columns);
  const transcript = new Transcript(stage);
  return { board: new PlanBoard(stage, transcript), transcript, text };
}

const UP_TWO_AND_CLEAR = "\r\u001b[2A\u001b[J";

describe("a plan on the stage", () => {
  it("is shown whole at first, then by what changed, where nothing can be drawn again", () => {
    const { board: shown, text } = board();
    shown.show(plan("in_progress", "pending"));
    shown.show(plan("completed", "in_progress"));
    shown.show(plan("completed", "completed"));
    expect(text().split("\n")).toEqual([
      "  plan     ▸ entry 1",
      "           ○ entry 2",
      "  plan     ✔ entry 1",
      "           ▸ entry 2",
      "  plan     ✔ entry 2",
      "",
    ]);
  });

  it("is drawn again in its place on a terminal", () => {
    const { board: shown, text } = board(80);
    shown.show(plan("in_progress", "pending"));
    shown.show(plan("completed", "in_progress"));
    const [first, second] = text().split(UP_TWO_AND_CLEAR);
    expect(first).toBe("  plan     ▸ entry 1\n           ○ entry 2\n");
    expect(second).toBe("  plan     ✔ entry 1\n           ▸ entry 2\n");
  });

  it("is never drawn over what was said in between, but anew behind it", () => {
    const { board: shown, transcript, text } = board(80);
    shown.show(plan("in_progress", "pending"));
    transcript.say("agent", "a word");
    shown.show(plan("completed", "in_progress"));
    shown.show(plan("completed", "completed"));
    const [before, after] = text().split(UP_TWO_AND_CLEAR);
    expect(before).toContain("  agent    a word\n  plan     ✔ entry 1\n           ▸ entry 2\n");
    expect(after).toBe("  plan     ✔ entry 1\n           ✔ entry 2\n");
  });

  it("takes one line an entry, also on a narrow terminal", () => {
    const { board: shown, text } = board(17);
    shown.show(plan("in_progress"));
    expect(text()).toBe("  plan     ▸ ent…\n");
  });

  it("is another plan when its entries are others", () => {
    const { board: shown, text } = board(80);
    shown.show(plan("completed"));
    shown.show(plan("completed", "pending"));
    expect(text()).toBe("  plan     ✔ entry 1\n  plan     ✔ entry 1\n           ○ entry 2\n");
  });
});
