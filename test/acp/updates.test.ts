import { assert, constantFrom, oneof, property, record, array as sequence, tuple } from "fast-check";
import { describe, expect, it } from "vitest";
import { kindOf, OpenToolCalls, tellsState, updateOf } from "../../src/acp/updates.ts";

describe("an update", () => {
  it("is what the params hold; anything else is an empty one, of no kind", () => {
    expect(updateOf({ update: { sessionUpdate: "plan" } })).toEqual({ sessionUpdate: "plan" });
    for (const params of [undefined, null, {}, { update: [] }, { update: "x" }, "x"])
      expect(updateOf(params)).toEqual({});
    expect(kindOf({ sessionUpdate: "plan" })).toBe("plan");
    for (const sessionUpdate of [undefined, 7, null, {}]) expect(kindOf({ sessionUpdate })).toBe("");
  });

  it("tells state or history; a kind that nobody knows tells history", () => {
    const state = [
      "available_commands_update",
      "current_mode_update",
      "config_option_update",
      "session_info_update",
    ];
    const history = [
      "user_message_chunk",
      "agent_message_chunk",
      "tool_call",
      "plan",
      "usage_update",
      "future",
      "",
    ];
    expect(state.every(tellsState)).toBe(true);
    expect(history.some(tellsState)).toBe(false);
  });
});

describe("open tool calls", () => {
  const call = (toolCallId: unknown, status?: string) => ({ toolCallId, status });

  it("are those that began and did not end", () => {
    const open = new OpenToolCalls();
    open.see("tool_call", call("pending", "pending"));
    open.see("tool_call", call("no status"));
    open.see("tool_call", call("done at once", "completed"));
    open.see("tool_call", call("failed"));
    open.see("tool_call_update", call("failed", "failed"));
    open.see("tool_call_update", call("only an update", "in_progress"));
    open.see("tool_call_update", call("only words"));
    open.see("plan", call("no tool call", "pending"));
    open.see("tool_call", call(7, "pending"));
    expect(open.takeAll()).toEqual(["pending", "no status", "only an update"]);
  });

  it("count a call that a question named, until it ends", () => {
    const open = new OpenToolCalls();
    open.mention("asked about");
    open.mention("ended");
    open.see("tool_call_update", call("ended", "completed"));
    expect(open.takeAll()).toEqual(["asked about"]);
  });

  it("are taken once", () => {
    const open = new OpenToolCalls();
    open.mention("a");
    open.takeAll();
    expect(open.takeAll()).toEqual([]);
  });

  it("are, for each id, what its last status says", () => {
    const step = tuple(
      constantFrom("tool_call", "tool_call_update"),
      record({
        toolCallId: constantFrom("a", "b"),
        status: oneof(constantFrom(undefined, "pending", "in_progress", "completed", "failed")),
      }),
    );
    assert(
      property(sequence(step), (steps) => {
        const open = new OpenToolCalls();
        for (const [kind, update] of steps) open.see(kind, update);
        const isOpen = (id: string): boolean => {
          const last = steps.findLast(
            ([kind, update]) => update.toolCallId === id && (update.status ?? kind) !== "tool_call_update",
          );
          return last !== undefined && !["completed", "failed"].includes(last[1].status ?? "");
        };
        expect(open.takeAll().sort()).toEqual(["a", "b"].filter(isOpen));
      }),
    );
  });
});
