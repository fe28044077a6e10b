import { dynamicTool, jsonSchema, type ToolSet } from "ai";
import { type Fields, isFields } from "../../../acp/checks.ts";
import type { McpTool } from "../turn.ts";

/** The tools of a session's MCP servers, for a model. */
export function mcpToolSet(tools: readonly McpTool[], needsApproval: (tool: McpTool) => boolean): ToolSet {
  return Object.fromEntries(
    tools.map((one) => [
      one.name,
      dynamicTool({
        ...(one.description === undefined ? {} : { description: one.description }),
        inputSchema: jsonSchema<Fields>({ ...one.inputSchema }),
        needsApproval: needsApproval(one),
        execute: (input, { abortSignal }) => one.call(isFields(input) ? input : {}, abortSignal),
        // The model gets the text; the client the whole.
        toModelOutput: ({ output }) => ({
          type: "text",
          value: isFields(output) && typeof output.text === "string" ? output.text : "",
        }),
      }),
    ]),
  );
}
