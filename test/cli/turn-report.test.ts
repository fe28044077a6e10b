import { describe, expect, it } from "vitest";
import { outcomeCode, turnDocument } from "../../src/cli/turn-report.ts";
import { RequestFailed } from "../../src/wire/peer.ts";

const failed = (data?: unknown): RequestFailed =>
  new RequestFailed("session/prompt", { code: -32000, message: "No.", data }, false);

describe("the exit code of a turn", () => {
  it.each([
    ["end_turn", 0],
    ["refusal", 5],
    ["max_tokens", 6],
    ["max_turn_requests", 6],
    ["cancelled", 7],
    ["some_day_more", 1],
    ["constructor", 1],
  ])("is for %s %i", (stopReason, code) => {
    expect(outcomeCode({ stopReason, usage: null })).toBe(code);
  });

  it("is 1 for a turn that failed, and 4 where the hall did not let us", () => {
    expect(outcomeCode({ error: failed() })).toBe(1);
    expect(outcomeCode({ error: failed({ kind: "queue_full" }) })).toBe(1);
    expect(outcomeCode({ error: failed({ kind: "not_authorized" }) })).toBe(4);
  });
});

describe("the document of a turn", () => {
  const story = { sessionId: "s", turn: "t", text: "words", refused: [] };

  it("has the stop reason, or the error as the hall said it, with the same keys beside it", () => {
    const ended = JSON.parse(
      turnDocument({ ...story, outcome: { stopReason: "end_turn", usage: { used: 1 } } }),
    );
    expect(ended).toEqual({ ...story, stopReason: "end_turn", usage: { used: 1 } });
    const broken = JSON.parse(
      turnDocument({ ...story, outcome: { error: failed({ kind: "agent_exited" }) } }),
    );
    expect(broken).toEqual({
      ...story,
      usage: null,
      error: { code: -32000, message: "No.", data: { kind: "agent_exited" } },
    });
  });
});
