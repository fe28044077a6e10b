import { describe, expect, it } from "vitest";
import { ToolCalls } from "../../src/cli/tool-calls.ts";
import { TurnView } from "../../src/cli/turn-view.ts";
import { FakeScreen } from "./screens.ts";

function view(isTTY = false) {
  const out = new FakeScreen(isTTY);
  const aside = isTTY ? out : new FakeScreen();
  const shown = new TurnView({ out, aside, calls: new ToolCalls() });
  const say = (text: string, messageId?: string): void =>
    shown.see({ sessionUpdate: "agent_message_chunk", content: { type: "text", text }, messageId });
  const think = (text: string): void =>
    shown.see({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text } });
  const tool = (fields: object): void =>
    shown.see({ sessionUpdate: "tool_call_update", toolCallId: "t", ...fields });
  return { out, aside, shown, say, think, tool };
}

describe("the view of a turn", () => {
  it("puts chunks of a text together, and ends its line", () => {
    const { out, say, shown } = view();
    say("one ");
    say("two");
    shown.end();
    expect(out.text).toBe("one two\n");
  });

  it("parts messages, and what comes before and after a tool call", () => {
    const { out, aside, say, tool } = view();
    say("one", "m1");
    say("more", "m1");
    say("two", "m2");
    tool({ title: "Look" });
    say("three\n", "m2");
    expect(out.text).toBe("onemore\ntwo\nthree\n");
    expect(aside.text).toBe("▸ Look\n");
  });

  it("has one blank line between things of different kinds on a terminal", () => {
    const { out, say, think, tool } = view(true);
    think("hm");
    say("text\n");
    tool({ title: "Look", status: "in_progress" });
    tool({ status: "completed" });
    say("more\n\n");
    think("hm");
    expect(out.plain).toBe("hm\n\ntext\n\n▸ Look\n✓ Look\n\nmore\n\nhm");
  });

  it("shows a tool call when it begins and when it ends, by its last title", () => {
    const { aside, tool } = view();
    tool({ title: "Terminal", kind: "execute", status: "pending" });
    tool({ title: "npm test", status: "in_progress" });
    tool({ content: [{ type: "content", content: { type: "text", text: "line" } }] });
    tool({ status: "completed" });
    tool({ status: "completed" });
    expect(aside.text).toBe("▸ Terminal  execute\n✓ npm test\n");
  });

  it("says how much a call changed, and why one failed", () => {
    const { aside, tool } = view();
    tool({
      title: "Edit",
      content: [{ type: "diff", path: "/a", oldText: "x\n", newText: "y\nz\n" }],
      status: "completed",
    });
    tool({
      toolCallId: "u",
      title: "Run",
      status: "failed",
      content: [{ type: "content", content: { type: "text", text: "No such file" } }],
    });
    expect(aside.text).toBe("✓ Edit\n    /a +2 -1\n✗ Run\n    No such file\n");
  });

  it("shows a plan whole, then what changed in it", () => {
    const { aside, shown } = view();
    const plan = (...statuses: string[]): void =>
      shown.see({
        sessionUpdate: "plan",
        entries: statuses.map((status, at) => ({ content: `step ${at}`, status })),
      });
    plan("in_progress", "pending");
    plan("in_progress", "pending");
    plan("completed", "in_progress");
    expect(aside.text).toBe("Plan\n  ▸ step 0\n  · step 1\n  ✓ step 0\n  ▸ step 1\n");
  });

  it("names content that is no text", () => {
    const { out, shown } = view();
    shown.see({ sessionUpdate: "agent_message_chunk", content: { type: "image", data: "…" } });
    shown.see({
      sessionUpdate: "agent_message_chunk",
      content: { type: "resource_link", name: "a", uri: "file:///a" },
    });
    expect(out.text).toBe("[image][a](file:///a)");
  });

  it("obeys no escape sequence on a terminal, and changes nothing elsewhere", () => {
    const [terminal, pipe] = [view(true), view()];
    terminal.say("\x1b[2J");
    pipe.say("\x1b[2J");
    expect(terminal.out.text).toBe("␛[2J");
    expect(pipe.out.text).toBe("\x1b[2J");
  });

  it("passes over updates that it does not know, and those that are broken", () => {
    const { out, aside, shown } = view();
    for (const update of [
      {},
      { sessionUpdate: "some_day" },
      { sessionUpdate: "tool_call" },
      { sessionUpdate: "agent_message_chunk" },
      { sessionUpdate: "agent_message_chunk", content: "x" },
      { sessionUpdate: "plan", entries: "x" },
    ])
      shown.see(update);
    shown.end();
    expect(out.text + aside.text).toBe("");
  });
});
