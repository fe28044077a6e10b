import { type Fields, isFields } from "../../../acp/checks.ts";
import type { Decision } from "../acp-message.ts";
import { fieldsIn, textOf, wordsOf } from "../native-line.ts";
import type { Permission, PermissionOption } from "../step.ts";
import { commandOf } from "./items.ts";

/** A question of the app-server's that a person decides: how it is asked, and what each decision is answered with. */
export interface Approval {
  toolCallId: string;
  permission: Permission;
  answer(decision: Decision): Fields;
}

interface Choice extends PermissionOption {
  result: Fields;
}

/** Of an old version's questions and of today's; undefined: it is none that a person decides. */
export function approvalOf(method: string, params: Fields): Approval | undefined {
  const id = wordsOf(params, "itemId") ?? wordsOf(params, "callId") ?? method;
  switch (method) {
    case "item/commandExecution/requestApproval":
      return approval(id, command(params), choices(params), { decision: "decline" }, { decision: "cancel" });
    case "item/fileChange/requestApproval":
      return approval(
        id,
        { kind: "edit", title: wordsOf(params, "reason") ?? "Change files" },
        choices(params),
        { decision: "decline" },
        { decision: "cancel" },
      );
    case "execCommandApproval":
    case "applyPatchApproval":
      return approval(id, legacy(method, params), LEGACY, { decision: "denied" }, { decision: "abort" });
    case "item/permissions/requestApproval":
      return approval(
        id,
        {
          kind: "other",
          title: wordsOf(params, "reason") ?? "More permissions",
          rawInput: params.permissions,
        },
        permissions(params),
        { permissions: {}, scope: "turn" },
        { permissions: {}, scope: "turn" },
      );
    case "mcpServer/elicitation/request":
      return approval(
        id,
        { kind: "other", title: `${textOf(params, "serverName")}: ${textOf(params, "message")}` },
        [
          { ...ALLOW, result: { action: "accept", content: {}, _meta: null } },
          { ...REJECT, result: { action: "decline", content: null, _meta: null } },
        ],
        { action: "decline", content: null, _meta: null },
        { action: "cancel", content: null, _meta: null },
      );
    default:
      return undefined;
  }
}

/** Refused, Codex goes on without; cancelled, it ends the turn. */
function approval(
  toolCallId: string,
  shown: Fields,
  offered: readonly Choice[],
  refused: Fields,
  cancelled: Fields,
): Approval {
  return {
    toolCallId,
    permission: {
      toolCall: { toolCallId, status: "pending", ...shown },
      options: offered.map(({ optionId, name, kind }) => ({ optionId, name, kind })),
    },
    answer(decision) {
      if (decision === "cancelled") return cancelled;
      if (decision === "failed") return refused;
      return offered.find(({ optionId }) => optionId === decision.option)?.result ?? refused;
    },
  };
}

const ALLOW = { optionId: "accept", name: "Allow", kind: "allow_once" } as const;
const REJECT = { optionId: "decline", name: "Reject", kind: "reject_once" } as const;

const LEGACY: readonly Choice[] = [
  { ...ALLOW, result: { decision: "approved" } },
  {
    optionId: "acceptForSession",
    name: "Allow for this session",
    kind: "allow_always",
    result: { decision: "approved_for_session" },
  },
  { ...REJECT, result: { decision: "denied" } },
];

function command(params: Fields): Fields {
  const reason = wordsOf(params, "reason");
  return {
    kind: "execute",
    title: commandOf(params),
    rawInput: { command: commandOf(params), cwd: params.cwd, ...(reason === undefined ? {} : { reason }) },
  };
}

function legacy(method: string, params: Fields): Fields {
  if (method === "applyPatchApproval")
    return { kind: "edit", title: "Change files", rawInput: params.fileChanges };
  const words = Array.isArray(params.command) ? params.command.join(" ") : textOf(params, "command");
  return { kind: "execute", title: words, rawInput: { command: words, cwd: params.cwd } };
}

/** Those that it says it takes, and always the refusal, which it takes without saying so. */
function choices(params: Fields): Choice[] {
  const said = Array.isArray(params.availableDecisions)
    ? params.availableDecisions
    : ["accept", "acceptForSession"];
  const allowed = said.flatMap((decision: unknown): Choice[] => {
    if (decision === "accept") return [{ ...ALLOW, result: { decision } }];
    if (decision === "acceptForSession") {
      return [
        { optionId: decision, name: "Allow for this session", kind: "allow_always", result: { decision } },
      ];
    }
    return isFields(decision) ? amendment(decision) : [];
  });
  return [...allowed, { ...REJECT, result: { decision: "decline" } }];
}

/** A rule that Codex would keep: answered whole, as it was offered. */
function amendment(decision: Fields): Choice[] {
  const rule = fieldsIn(decision, "acceptWithExecpolicyAmendment").execpolicy_amendment;
  if (!Array.isArray(rule)) return [];
  const name = `Always allow ${rule.join(" ")}`;
  return [{ optionId: "acceptWithExecpolicyAmendment", name, kind: "allow_always", result: { decision } }];
}

const permissions = (params: Fields): Choice[] => [
  { ...ALLOW, name: "Allow for this turn", result: { permissions: params.permissions, scope: "turn" } },
  {
    optionId: "session",
    name: "Allow for this session",
    kind: "allow_always",
    result: { permissions: params.permissions, scope: "session" },
  },
  { ...REJECT, result: { permissions: {}, scope: "turn" } },
];
