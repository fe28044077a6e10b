import type { Fields } from "../../../acp/checks.ts";
import type { Decision } from "../acp-message.ts";
import { textOf, wordsOf } from "../native-line.ts";
import type { Permission, PermissionOption, Step } from "../step.ts";
import { toolCall as toolCallStep, toolCallUpdate } from "../updates.ts";

/** What an extension of pi's asks a person: pi itself asks nothing. */
export interface ExtensionQuestion {
  permission: Permission;
  /** A question about no tool call is one itself: it begins when it is asked, and ends with the decision. */
  begun: Step[];
  ended(decision: Decision): Step[];
  answer(decision: Decision): Fields;
}

/**
 * Of an `extension_ui_request`; undefined: ACP's questions cannot show it, or it asks nothing.
 *
 * @param about the tool call that runs: extensions ask before it does anything
 */
export function extensionQuestion(request: Fields, about: string | undefined): ExtensionQuestion | undefined {
  const id = textOf(request, "id");
  const title = wordsOf(request, "title") ?? "A question of an extension";
  const detail = wordsOf(request, "message");
  const toolCallId = about ?? `extension-${id}`;
  const shown: Fields = {
    kind: "other",
    title,
    status: "pending",
    ...(detail === undefined ? {} : { rawInput: { message: detail } }),
  };
  const toolCall: Fields = { toolCallId, ...(about === undefined ? shown : { title }) };
  const life = {
    begun: about === undefined ? [toolCallStep(toolCallId, shown)] : [],
    ended: (decision: Decision): Step[] =>
      about === undefined
        ? [toolCallUpdate(toolCallId, { status: isAllowed(decision) ? "completed" : "failed" })]
        : [],
  };
  if (request.method === "confirm") {
    return {
      ...life,
      permission: { toolCall, options: [ALLOW, REJECT] },
      answer: (decision) => respond(id, { confirmed: isChosen(decision, ALLOW) }),
    };
  }
  if (request.method !== "select" || !Array.isArray(request.options)) return undefined;
  const choices = request.options.map(String);
  const options = choices.map(
    (name, at): PermissionOption => ({ optionId: String(at), name, kind: "allow_once" }),
  );
  return {
    ...life,
    permission: { toolCall, options: [...options, REJECT] },
    answer(decision) {
      const at = options.findIndex((option) => isChosen(decision, option));
      return respond(id, at === -1 ? { cancelled: true } : { value: choices[at] });
    },
  };
}

/** Those that wait for an answer that nobody here can give. */
export const mustBeAnswered = (request: Fields): boolean =>
  ["confirm", "select", "input", "editor"].includes(textOf(request, "method"));

export const nothing = (request: Fields): Fields => respond(textOf(request, "id"), { cancelled: true });

const ALLOW: PermissionOption = { optionId: "allow", name: "Yes", kind: "allow_once" };
const REJECT: PermissionOption = { optionId: "reject", name: "No", kind: "reject_once" };

const isChosen = (decision: Decision, { optionId }: PermissionOption): boolean =>
  typeof decision === "object" && decision.option === optionId;

const isAllowed = (decision: Decision): boolean =>
  typeof decision === "object" && decision.kind.startsWith("allow");

const respond = (id: string, answer: Fields): Fields => ({ type: "extension_ui_response", id, ...answer });
