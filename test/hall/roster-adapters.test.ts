import { describe, expect, it } from "vitest";
import { faults, firstSlot, read } from "./rosters.ts";

const slot = (keys: string): string => `slots: { a: { ${keys} } }`;

describe("a slot with an adapter", () => {
  it("needs nothing more than its name, and may name its program", () => {
    expect(firstSlot(read(slot("adapter: codex"))).run).toEqual({
      kind: "adapter",
      adapter: "codex",
      command: undefined,
      oneShot: { preset: undefined, output: "text", resumeArgs: undefined },
    });
    expect(firstSlot(read(slot("adapter: pi, command: [/opt/pi, -x]"))).run).toMatchObject({
      adapter: "pi",
      command: ["/opt/pi", "-x"],
    });
  });

  it("of one-shot says how its command is run and read", () => {
    const written = 'adapter: one-shot, command: [ask], output: jsonl, resume_args: ["-s", "{session}"]';
    expect(firstSlot(read(slot(written))).run).toMatchObject({
      oneShot: { preset: undefined, output: "jsonl", resumeArgs: ["-s", "{session}"] },
    });
    expect(firstSlot(read(slot("adapter: one-shot, preset: claude-print"))).run).toMatchObject({
      command: undefined,
      oneShot: { preset: "claude-print" },
    });
  });

  it.each([
    ["adapter: claude", 'slots.a.adapter: "claude" is not known here; did you mean claude-code?'],
    [
      "adapter: one-shot",
      "slots.a.adapter: this one-shot slot has no command; write command, or preset: codex-exec or claude-print",
    ],
    [
      "adapter: codex, output: jsonl",
      "slots.a.output: this is for one-shot commands alone; take the key out, or write adapter: one-shot",
    ],
    [
      "adapter: codex, isolation: slot",
      "slots.a.isolation: a program behind an adapter serves one session; take the key out",
    ],
    [
      "demo: true, preset: codex-exec",
      "slots.a.preset: this is for one-shot commands alone; take the key out, or write adapter: one-shot",
    ],
    [
      "adapter: one-shot, preset: codex-exec, output: jsonl",
      "slots.a.output: the preset says this already; take the key out, or the preset",
    ],
    [
      "adapter: codex, agent: codex-acp",
      "slots.a: it names several things to run: agent, adapter; keep one of them",
    ],
  ])("is an error in other words: %s", (keys, fault) => {
    expect(faults(slot(keys)).map((told) => told.replace(/^\d+:\d+: /, ""))).toEqual([fault]);
  });
});
