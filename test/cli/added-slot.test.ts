import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { withSlot } from "../../src/cli/added-slot.ts";
import type { SlotText } from "../../src/cli/slot-text.ts";

const slot: SlotText = {
  name: "gem",
  above: ["/bin/gemini."],
  keys: [
    ["agent", "gemini"],
    ["env_inherit", "[A, B]"],
  ],
  within: ["Or so."],
};
const VALUE = { agent: "gemini", env_inherit: ["A", "B"] };

/** What came of it; whatever it was, all that stood there stands there still, in its order. */
function added(text: string): string {
  const changed = withSlot(text, slot);
  if (changed === undefined) throw new Error("It could not be added.");
  const at = changed.split("").findIndex((character, index) => character !== text[index]);
  const start = at === -1 ? text.length : at;
  expect(changed.startsWith(text.slice(0, start))).toBe(true);
  expect(changed.endsWith(text.slice(start))).toBe(true);
  expect(parse(changed).slots.gem).toEqual(VALUE);
  return changed;
}

describe("a slot is added to a roster", () => {
  it("at the end of its slots, before what follows, with nothing else changed", () => {
    const text = [
      "# What we run.",
      "slots:   # all of them",
      "  demo: { demo: true }   # for a start",
      "  one:",
      "    command: [x, y]  # aligned   so",
      "    # env_inherit: [KEY]",
      "",
      "# Limits.",
      "limits: { processes: 3 }",
      "",
    ].join("\n");
    expect(added(text)).toBe(
      text.replace(
        "    # env_inherit: [KEY]\n",
        "    # env_inherit: [KEY]\n  # /bin/gemini.\n  gem:\n    agent: gemini\n    env_inherit: [A, B]\n    # Or so.\n",
      ),
    );
  });

  it("with a blank line before it where the others have one, in their indentation", () => {
    const text = "slots:\n   a:\n       demo: true\n\n   # The second.\n   b:\n       demo: true";
    expect(added(text)).toBe(
      `${text}\n\n   # /bin/gemini.\n   gem:\n       agent: gemini\n       env_inherit: [A, B]\n       # Or so.\n`,
    );
  });

  it("with the line ends that the file has", () => {
    const changed = added("slots:\r\n  a:\r\n    demo: true\r\ndurability: power\r\n");
    expect(changed).toContain("  gem:\r\n    agent: gemini\r\n");
    expect(changed.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
  });

  it.each([
    ["anchors and aliases", "x-env: &env { A: b }\nslots:\n  a:\n    demo: true\n    env: *env\n"],
    [
      "a block of text at the end",
      "slots:\n  a:\n    demo: true\n    description: |\n      One.\n      Two.\n",
    ],
    [
      "a block of text that keeps its blank lines",
      "slots:\n  a:\n    description: |+\n      One.\n\n\nstate: x\n",
    ],
    ["a document's start and end", "---\nslots:\n  a:\n    demo: true\n...\n"],
    ["braces", "slots: { a: { demo: true } }\n"],
    ["braces over lines, with a comment", "slots: {\n  a: { demo: true } # one\n}\n"],
    ["JSON", '{\n  "slots": {\n    "a": { "demo": true }\n  },\n  "state": "x"\n}\n'],
    ["a slot without a value", "slots:\n  a: { demo: true }\n  b:\nstate: x\n"],
    ["tabs before comments, and names in quotes", 'slots:\n  "a b":\t# one\n    demo: true\n'],
    ["slots at the end of the file", "state: x\nslots:\n  a:\n    demo: true"],
  ])("also to one with %s", (_what, text) => {
    const changed = added(text);
    if (text.startsWith("{")) expect(JSON.parse(changed).slots.gem).toEqual(VALUE);
  });

  it.each([
    ["the slots are elsewhere", "x: &s\n  a: { demo: true }\nslots: *s\n"],
    ["there are none", "slots:\nstate: x\n"],
    ["it is no YAML", "slots: [\n"],
    ["it has such a slot", "slots:\n  gem: { demo: true }\n"],
    ["keys begin with a question mark", "slots:\n  ? a\n  : { demo: true }\n"],
  ])("not where %s: somebody has to do it by hand", (_why, text) => {
    expect(withSlot(text, slot)).toBeUndefined();
  });
});
