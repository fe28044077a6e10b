// An MCP server on stdio: `node mcp-server.mjs`. A tool that reads, one that writes, one that fails, one that ends it.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

/** With the same tools, for whichever transport. */
export function makeServer() {
  const server = new McpServer({ name: "notes", version: "1" });
  const path = { path: z.string() };
  const text = (value) => ({ content: [{ type: "text", text: value }] });
  server.registerTool(
    "read",
    { description: "Reads", inputSchema: path, annotations: { readOnlyHint: true } },
    (input) => text(`note ${input.path} of ${process.env.NOTES_OWNER ?? "nobody"} in ${process.cwd()}`),
  );
  server.registerTool("write", { inputSchema: path }, (input) => text(`wrote ${input.path}`));
  server.registerTool("fail", { inputSchema: path }, () => ({ ...text("no such note"), isError: true }));
  server.registerTool("crash", { inputSchema: path }, () => process.exit(3));
  return server;
}

if (process.argv[1] === import.meta.filename) await makeServer().connect(new StdioServerTransport());
