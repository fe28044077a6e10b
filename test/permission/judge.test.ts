import { describe, expect, it } from "vitest";
import { Judge } from "../../src/permission/judge.ts";
import { parseRule, type Rule } from "../../src/permission/rule.ts";
import { ShellParser } from "../../src/permission/shell-parser.ts";
import { readToolCall } from "../../src/permission/tool-call.ts";

const rule = (effect: "allow" | "deny" | "ask", pattern: string): Rule[] =>
  [parseRule(effect, pattern) ?? []].flat();
const call = readToolCall({ kind: "execute", rawInput: { command: "git log" } });
const law = (roster: Rule[], session: Rule[] = []) => ({ roster, session, cwd: "/" });

describe("the judge", () => {
  it("reads the shell's parser for the first rule that looks into a command, and not before", async () => {
    const parser = new ShellParser();
    const judge = new Judge(parser);
    expect(judge.verdictOn(call, law([]))).toMatchObject({ decision: "ask" });
    expect(judge.verdictOn(call, law(rule("allow", "execute")))).toMatchObject({ decision: "allow" });
    expect(parser.loaded).toBeUndefined();
    const first = judge.verdictOn(call, law(rule("allow", "execute(git *)")));
    expect(first).toBeInstanceOf(Promise);
    expect(await first).toMatchObject({ decision: "allow" });
    expect(judge.verdictOn(call, law(rule("deny", "execute(git *)")))).toMatchObject({ decision: "deny" });
  });

  it("lets a session's rules answer what would be asked, and nothing that the roster decides", async () => {
    const judge = new Judge(new ShellParser());
    const session = rule("allow", "execute(git log)");
    expect(await judge.verdictOn(call, law([], session))).toMatchObject({ decision: "allow" });
    expect(await judge.verdictOn(call, law(rule("ask", "*"), session))).toMatchObject({ decision: "allow" });
    expect(await judge.verdictOn(call, law(rule("deny", "execute"), session))).toMatchObject({
      decision: "deny",
    });
  });

  it("asks where the parser cannot be read, whatever the rules say", async () => {
    class Broken extends ShellParser {
      override load(): Promise<never> {
        return Promise.reject(new Error("It is not there."));
      }
    }
    const rules = [...rule("deny", "execute(rm *)"), ...rule("allow", "execute")];
    expect(await new Judge(new Broken()).verdictOn(call, law(rules))).toEqual({
      decision: "ask",
      rule: undefined,
      why: "The rules could not be held against this (It is not there.).",
    });
  });
});
