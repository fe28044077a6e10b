import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import { type Fields, isFields } from "../../../acp/checks.ts";
import type { Clock } from "../../../ground/clock.ts";
import { messageOf } from "../../../ground/thrown.ts";
import { unlessAborted } from "../../../ground/unless-aborted.ts";
import { version } from "../../../ground/version.ts";
import { MARK_VARIABLE } from "../../mark.ts";
import type { ContentBlock } from "../content-block.ts";
import type { McpResult, McpTool } from "../turn.ts";
import { SilentServer } from "./silent-server.ts";

/** ms that a server may take to start and to say what it has. */
const CONNECT_WITHIN_MS = 30_000;
/** ms that a call may be silent; a tool that reports progress may take longer. */
const CALL_WITHIN_MS = 10 * 60_000;
/** Lists are read in pages; a server that never ends its own, or has more tools than any model takes, is read no further. */
const PAGES = 100;
const TOOLS = 1_000;

/** One MCP server of a session, connected. */
export class McpConnection {
  readonly #client: Client;
  readonly #server: string;
  tools: readonly McpTool[] = [];
  isOpen = true;

  private constructor(server: string) {
    this.#server = server;
    this.#client = new Client({ name: "hall", version: version() });
    this.#client.onclose = () => {
      this.isOpen = false;
    };
  }

  /**
   * Starts or calls a server, as ACP describes it, and reads its tools.
   *
   * Rejects with `SilentServer` when that takes too long, and with the signal's reason as soon as it aborts.
   */
  static async open(server: Fields, cwd: string, signal: AbortSignal, clock: Clock): Promise<McpConnection> {
    const connection = new McpConnection(String(server.name));
    const late = new AbortController();
    const stop = clock.after(CONNECT_WITHIN_MS, () => late.abort(new SilentServer(CONNECT_WITHIN_MS)));
    const patience = AbortSignal.any([signal, late.signal]);
    try {
      // Not every transport hears the signal while it connects.
      await unlessAborted(connection.#begin(transportTo(server, cwd), patience), patience);
      return connection;
    } catch (error) {
      // Nobody waits for a server that is no good to end.
      void connection.close().catch(() => {});
      throw error;
    } finally {
      stop();
    }
  }

  async #begin(transport: Transport, signal: AbortSignal): Promise<void> {
    // Ours is the only time limit.
    const options = { signal, timeout: 2 * CONNECT_WITHIN_MS };
    await this.#client.connect(transport, options);
    this.tools = await this.#list(options);
  }

  async close(): Promise<void> {
    this.isOpen = false;
    await this.#client.close();
  }

  async #list(options: { signal: AbortSignal; timeout: number }): Promise<McpTool[]> {
    const tools: McpTool[] = [];
    if (!this.#client.getServerCapabilities()?.tools) return tools;
    let cursor: string | undefined;
    for (let page = 0; page < PAGES; page += 1) {
      const listed = await this.#client.listTools(cursor === undefined ? {} : { cursor }, options);
      for (const { name, description, inputSchema, annotations } of listed.tools) {
        tools.push({
          name: `${this.#server}__${name}`,
          server: this.#server,
          description,
          inputSchema,
          isReadOnly: annotations?.readOnlyHint === true,
          call: (input, signal) => this.#call(name, input, signal),
        });
      }
      cursor = listed.nextCursor;
      if (cursor === undefined || tools.length >= TOOLS) break;
    }
    return tools.slice(0, TOOLS);
  }

  async #call(name: string, input: Record<string, unknown>, signal?: AbortSignal): Promise<McpResult> {
    const options = {
      timeout: CALL_WITHIN_MS,
      resetTimeoutOnProgress: true,
      ...(signal === undefined ? {} : { signal }),
    };
    const result = await this.#client
      .callTool({ name, arguments: input }, undefined, options)
      .catch((error: unknown) => {
        signal?.throwIfAborted();
        // One that answers, be it with an error, is there; any other is connected anew by the next turn.
        if (!(error instanceof McpError) || error.code === ErrorCode.ConnectionClosed) this.isOpen = false;
        throw new Error(`The MCP server ${this.#server} failed: ${messageOf(error)}`, { cause: error });
      });
    const content = Array.isArray(result.content) ? result.content.filter(isFields).flatMap(blockOf) : [];
    const text = content.flatMap((block) => (typeof block.text === "string" ? [block.text] : [])).join("\n");
    if (result.isError === true) throw new Error(text || `The tool ${name} failed without a word.`);
    return {
      content,
      text,
      structured: isFields(result.structuredContent) ? result.structuredContent : undefined,
    };
  }
}

const blockOf = (block: Fields): ContentBlock[] =>
  typeof block.type === "string" ? [{ ...block, type: block.type }] : [];

function transportTo(server: Fields, cwd: string): Transport {
  const { type, url, command, args } = server;
  if (typeof url === "string") {
    const requestInit = { headers: pairsOf(server.headers) };
    const address = new URL(url);
    // The SDK's own transports do not fit its own interface under exactOptionalPropertyTypes.
    if (type === "sse") return new SSEClientTransport(address, { requestInit }) as Transport;
    return new StreamableHTTPClientTransport(address, { requestInit }) as Transport;
  }
  const mark = process.env[MARK_VARIABLE];
  return new StdioClientTransport({
    command: String(command),
    args: Array.isArray(args) ? args.map(String) : [],
    env: { ...(mark === undefined ? {} : { [MARK_VARIABLE]: mark }), ...pairsOf(server.env) },
    cwd,
  });
}

/** ACP writes variables and headers as a list of names and values. */
function pairsOf(list: unknown): Record<string, string> {
  const pairs = Array.isArray(list) ? list.filter(isFields) : [];
  return Object.fromEntries(pairs.map(({ name, value }) => [String(name), String(value)]));
}
