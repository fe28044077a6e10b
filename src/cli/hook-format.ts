import { type Fields, isFields } from "../acp/checks.ts";
import type { HookAnswer } from "../permission/hook-question.ts";

/** What is printed, and how the process ends. */
export interface HookEnd {
  stdout: string;
  stderr: string;
  code: number;
}

/** How a hook is told what is to run, and how it tells what was decided. */
export interface HookFormat {
  /** The params of the question. Undefined: it is none. */
  read(input: unknown): Fields | undefined;
  say(decision: HookAnswer): HookEnd;
  /** No hall is around, and the agent may do as it does without one. */
  passed(): HookEnd;
}

export const formatOf = (name: "claude-code" | "json"): HookFormat => (name === "json" ? json : claudeCode);

const ended = (stdout: string, code = 0, stderr = ""): HookEnd => ({ stdout, stderr, code });

/** Claude Code's PreToolUse hook (its documentation: hooks reference). */
const claudeCode: HookFormat = {
  read(input) {
    if (!isFields(input) || typeof input.tool_name !== "string" || input.tool_name === "") return undefined;
    const { tool_name: tool, tool_input: given, tool_use_id: toolCallId, session_id: session } = input;
    const reason = isFields(given) ? given.description : undefined;
    return {
      tool,
      input: given,
      ...(typeof toolCallId === "string" ? { toolCallId } : {}),
      ...(typeof session === "string" ? { session } : {}),
      ...(typeof reason === "string" ? { reason } : {}),
    };
  },
  say({ decision, message }) {
    const hookSpecificOutput = {
      hookEventName: "PreToolUse",
      permissionDecision: decision,
      permissionDecisionReason: message,
    };
    return ended(`${JSON.stringify({ hookSpecificOutput })}\n`);
  },
  passed: () => ended(""),
};

/** The question and the answer of the per-run socket. */
const json: HookFormat = {
  read: (input) =>
    isFields(input) && typeof input.tool === "string" && input.tool !== "" ? input : undefined,
  say(decision) {
    const isYes = decision.decision === "allow";
    return ended(`${JSON.stringify(decision)}\n`, isYes ? 0 : 2, isYes ? "" : `hall: ${decision.message}\n`);
  },
  passed: () => json.say({ decision: "allow", scope: "once", message: "No hall is around to be asked." }),
};
