import type { Fields } from "../../../acp/checks.ts";
import type { Decision } from "../acp-message.ts";
import { fieldsIn, listIn, textOf, wordsOf } from "../native-line.ts";
import type { Permission, PermissionOption } from "../step.ts";
import { describeTool } from "./tool-call.ts";

/** A `can_use_tool` of Claude Code's, on its way to a person and back. */
export class ToolQuestion {
  readonly tool: string;
  readonly toolUseId: string;
  readonly input: Fields;
  readonly #rules: readonly Fields[];

  constructor(request: Fields) {
    this.tool = textOf(request, "tool_name");
    this.toolUseId = textOf(request, "tool_use_id");
    this.input = fieldsIn(request, "input");
    // A suggestion may also switch the mode or open folders: "always allow" is to allow this, and nothing else.
    this.#rules = listIn(request, "permission_suggestions")
      .filter(({ type, behavior }) => type === "addRules" && behavior === "allow")
      .map((suggestion) => ({ ...suggestion, destination: "session" }));
  }

  permission(cwd: string): Permission {
    const shown = describeTool(this.tool, this.input, cwd);
    return {
      toolCall: {
        toolCallId: this.toolUseId,
        name: this.tool,
        rawInput: this.input,
        status: "pending",
        ...given(shown),
      },
      options: this.tool === "ExitPlanMode" ? PLAN_OPTIONS : this.#options,
    };
  }

  /** What Claude Code is answered. It takes no allowance without the input. */
  answer(decision: Decision): Fields {
    if (decision === "cancelled")
      return { behavior: "deny", message: "The question was cancelled.", interrupt: true };
    if (decision === "failed") return { behavior: "deny", message: "Nobody allowed it." };
    if (!decision.kind.startsWith("allow")) return { behavior: "deny", message: "The user refused it." };
    return { behavior: "allow", updatedInput: this.input, ...this.#permissions(decision) };
  }

  #permissions({ option, kind }: { option: string; kind: string }): Fields {
    if (this.tool === "ExitPlanMode") {
      return { updatedPermissions: [{ type: "setMode", mode: option, destination: "session" }] };
    }
    return kind === "allow_always" ? { updatedPermissions: this.#rules } : {};
  }

  get #options(): PermissionOption[] {
    const [rule] = this.#rules;
    return [
      { optionId: "allow", name: "Allow", kind: "allow_once" },
      ...(rule
        ? [{ optionId: "allow_always", name: `Always allow ${inWords(rule)}`, kind: "allow_always" } as const]
        : []),
      { optionId: "reject", name: "Reject", kind: "reject_once" },
    ];
  }
}

/** The option is the mode that follows. */
const PLAN_OPTIONS: PermissionOption[] = [
  { optionId: "default", name: "Yes, and ask before each edit", kind: "allow_once" },
  { optionId: "acceptEdits", name: "Yes, and accept edits", kind: "allow_always" },
  { optionId: "plan", name: "No, keep planning", kind: "reject_once" },
];

const inWords = (suggestion: Fields): string =>
  listIn(suggestion, "rules")
    .map((rule) => {
      const content = wordsOf(rule, "ruleContent");
      return content === undefined ? textOf(rule, "toolName") : `${textOf(rule, "toolName")}(${content})`;
    })
    .join(", ");

const given = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
