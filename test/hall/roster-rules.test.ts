import { describe, expect, it } from "vitest";
import { faultsOfSlot, faultsOfTop, firstSlot, read } from "./rosters.ts";

describe("rules of permission", () => {
  it("of a slot come before those of all slots", () => {
    const roster = read(`
permission: { rules: [{ deny: "edit(/etc/*)" }, { allow: read }] }
slots:
  a:
    demo: true
    permission: { timeout: 5m, rules: [{ allow: "execute(git *)" }, { ask: "*" }] }
  b: { demo: true }
`);
    const texts = roster.slots.map(({ permissionRules }) => permissionRules.map(({ text }) => text));
    expect(texts).toEqual([
      ["allow: execute(git *)", "ask: *", "deny: edit(/etc/*)", "allow: read"],
      ["deny: edit(/etc/*)", "allow: read"],
    ]);
  });

  it("are none where none are written", () => {
    expect(firstSlot(read("slots: { a: { demo: true, permission: { rules: } } }")).permissionRules).toEqual(
      [],
    );
  });

  it("may hold variables", () => {
    const text = `slots: { a: { demo: true, permission: { rules: [{ allow: "edit(\${WORK}/*)" }] } } }`;
    const [rule] = firstSlot(read(text, { WORK: "/srv/work" })).permissionRules;
    expect(rule?.text).toBe("allow: edit(/srv/work/*)");
  });

  it.each([
    ["{ alow: read }", "rules[0].alow: this key is not known; did you mean allow?"],
    [
      "{ allow: 'execute(' }",
      'rules[0].allow: "execute(" is no pattern of a rule; write a kind or a tool, such as read, execute(git *), Bash(npm test) or *',
    ],
    [
      "{ deny: '' }",
      'rules[0].deny: "" is no pattern of a rule; write a kind or a tool, such as read, execute(git *), Bash(npm test) or *',
    ],
    ["{ deny: read, allow: edit }", "rules[0]: this rule says several things; make a rule of each, in order"],
    ["{}", "rules[0]: this rule says nothing; write allow, deny or ask with a pattern"],
    ["read", 'rules[0]: "read" is not a map; write its keys, each as key: value'],
    ["{ allow: [read] }", "rules[0].allow: a list is not text; write a kind or a tool"],
  ])("are checked: %s", (rule, fault) => {
    const found = faultsOfTop(`permission: { rules: [${rule}] }`);
    expect(found).toContain(`permission.${fault}`);
    expect(faultsOfSlot(`permission: { rules: [${rule}] }`)).toEqual(found.map((one) => `slots.a.${one}`));
  });

  it("are warned about where a kind is misspelt, which makes it a tool's name", () => {
    const [warning, ...others] = read(
      'slots: { a: { demo: true, permission: { rules: [{ allow: "exectue(git *)" }, { allow: "Read" }, { deny: "mcp__x" }] } } }',
    ).warnings;
    expect(warning?.message).toBe(
      '"exectue(git *)" names no kind of tool, so it is taken for the name of a tool; did you mean execute?',
    );
    expect(others).toEqual([]);
  });
});
