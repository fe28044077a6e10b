import { describe, expect, it } from "vitest";
import { completions, helpLines, hintFor, typedLine } from "../../../src/cli/chat/typed-line.ts";
import { paint } from "../../../src/cli/paint.ts";

const AGENTS = [
  { name: "review", description: "Reviews a change", hint: "what to look at" },
  { name: "mode", description: "The agent's own", hint: "" },
];

describe("a typed line", () => {
  it("is a command of ours when it names one, with its words", () => {
    expect(typedLine(" /slot  fast one ", AGENTS)).toEqual({ what: "own", name: "slot", words: "fast one" });
    expect(typedLine("/mode", AGENTS)).toEqual({ what: "own", name: "mode", words: "" });
  });

  it("is a prompt when it is the agent's command, or a path, or behind two slashes", () => {
    for (const text of ["/review", "/review this", "/etc/hosts", "/etc/hosts what is this?", "/what is this"])
      expect(typedLine(text, AGENTS)).toEqual({ what: "prompt", text });
    expect(typedLine("//help", AGENTS)).toEqual({ what: "prompt", text: "/help" });
  });

  it("is a slip when it is one word behind a slash that nobody knows", () => {
    expect(typedLine("/quti", AGENTS)).toEqual({ what: "unknown", name: "quti" });
  });

  it("is nothing when nothing was typed, and a prompt with all its lines otherwise", () => {
    expect(typedLine(" \n ", AGENTS)).toEqual({ what: "nothing" });
    expect(typedLine("  one\n  two", AGENTS)).toEqual({ what: "prompt", text: "  one\n  two" });
  });
});

describe("what a typed line can become", () => {
  it("is each command that begins so, ours and the agent's, ours only once", () => {
    expect(completions("/m", AGENTS)).toEqual(["/mode "]);
    expect(completions("/re", AGENTS)).toEqual(["/review "]);
    expect(completions("/q", AGENTS)).toEqual(["/quit"]);
    for (const text of ["", "m", "/mode a", "//m", "/x"]) expect(completions(text, AGENTS)).toEqual([]);
  });

  it("is said below the line: the names, and of one alone what it does", () => {
    expect(hintFor("/s", [])).toBe("/slot  /sessions");
    expect(hintFor("/rev", AGENTS)).toBe("/review what to look at  Reviews a change");
    expect(hintFor("hello", AGENTS)).toBe("");
  });

  it("is listed by /help, with the agent's own", () => {
    const lines = helpLines(AGENTS, paint({})).join("\n");
    expect(lines).toMatch(/ {2}\/quit +leaves/);
    expect(lines).toContain("/review [what to look at]  Reviews a change");
  });
});
