import type { z } from "zod";
import { parsePattern } from "../../permission/pattern.ts";
import { EFFECTS, parseRule, type Rule } from "../../permission/rule.ts";
import { leaf, list, Refusal, section } from "./leaf.ts";
import { readText } from "./text.ts";

const ADVICE = "write a kind or a tool, such as read, execute(git *), Bash(npm test) or *";

const pattern = () =>
  leaf(
    (value): string | Refusal => {
      const text = readText(value, "a kind or a tool");
      if (text instanceof Refusal) return text;
      return parsePattern(text) ? text : new Refusal("is no pattern of a rule", ADVICE);
    },
    { type: "string", minLength: 1 },
  ).optional();

/** What is allowed, denied or asked without a person's answer; that each has one of the three, the checks see to. */
export const permissionRules = () =>
  list(
    section({
      allow: pattern().describe("Calls that are allowed unasked."),
      deny: pattern().describe("Calls that are refused unasked."),
      ask: pattern().describe("Calls that are asked about, whatever later rules say."),
    }),
    "[{ allow: read }, { deny: execute(rm *) }]",
  );

type Read = z.output<ReturnType<typeof permissionRules>>;

export const rulesOf = (read: Read): Rule[] =>
  read.flatMap((rule) =>
    EFFECTS.flatMap((effect) => {
      const written = rule[effect];
      const parsed = written === undefined ? undefined : parseRule(effect, written);
      return parsed ? [parsed] : [];
    }),
  );
