import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { programsOf } from "../install.ts";
import { CODEX } from "../real/codex.ts";

/** What the adapter says and understands, by the file of Codex's own types that must have it. */
const USED: Readonly<Record<string, readonly string[]>> = {
  "ClientRequest.ts": [
    "initialize",
    "model/list",
    "thread/start",
    "thread/resume",
    "thread/fork",
    "thread/turns/list",
    "thread/compact/start",
    "turn/start",
    "turn/interrupt",
    "review/start",
  ],
  "ServerNotification.ts": [
    "item/agentMessage/delta",
    "item/reasoning/summaryTextDelta",
    "item/reasoning/summaryPartAdded",
    "item/reasoning/textDelta",
    "item/plan/delta",
    "item/commandExecution/outputDelta",
    "item/started",
    "item/completed",
    "turn/started",
    "turn/completed",
    "turn/plan/updated",
    "thread/tokenUsage/updated",
    "thread/name/updated",
    "serverRequest/resolved",
    "model/rerouted",
    "error",
    "warning",
    "configWarning",
  ],
  "ServerRequest.ts": [
    "item/commandExecution/requestApproval",
    "item/fileChange/requestApproval",
    "item/permissions/requestApproval",
    "item/tool/requestUserInput",
    "mcpServer/elicitation/request",
  ],
  "v2/ThreadItem.ts": [
    "userMessage",
    "agentMessage",
    "reasoning",
    "plan",
    "commandExecution",
    "fileChange",
    "mcpToolCall",
    "dynamicToolCall",
    "webSearch",
    "imageView",
    "contextCompaction",
  ],
  "v2/TurnStatus.ts": ["completed", "interrupted", "failed"],
  "v2/TurnPlanStepStatus.ts": ["inProgress", "completed"],
  "v2/CommandExecutionApprovalDecision.ts": ["accept", "acceptForSession", "decline", "cancel"],
};

/** Codex tells its protocol itself: what the adapter uses of it must be there. */
export function comparesProtocol(): void {
  it("codex app-server still has all that the adapter uses of its protocol", () => {
    const folder = mkdtempSync(join(tmpdir(), "hall-codex-"));
    try {
      const out = join(folder, "types");
      execFileSync(
        join(programsOf(CODEX), "codex"),
        ["app-server", "generate-ts", "--experimental", "--out", out],
        {
          env: { PATH: process.env.PATH, HOME: folder },
          stdio: "ignore",
        },
      );
      const missing = Object.entries(USED).flatMap(([file, names]) => {
        const text = readFileSync(join(out, file), "utf8");
        return names.filter((name) => !text.includes(`"${name}"`)).map((name) => `${file}: ${name}`);
      });
      expect(missing).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    }
  });
}
