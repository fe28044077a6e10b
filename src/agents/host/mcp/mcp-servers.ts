import type { Fields } from "../../../acp/checks.ts";
import type { Clock } from "../../../ground/clock.ts";
import { messageOf } from "../../../ground/thrown.ts";
import type { McpTool } from "../turn.ts";
import type { McpConnection } from "./mcp-connection.ts";
import { SilentServer } from "./silent-server.ts";

export interface Connected {
  tools: readonly McpTool[];
  /** Servers that were found to be out of reach since this was asked last. */
  troubles: readonly { server: string; why: string }[];
}

/** The MCP servers of a session: connected when their tools are first asked for. One that fails leaves the others. */
export class McpServers {
  readonly #servers: readonly Fields[];
  readonly #cwd: string;
  readonly #clock: Clock;
  /** By the server's name. Undefined: it could not be connected, and is tried again in the next turn. */
  readonly #connections = new Map<string, Promise<McpConnection>>();
  #told = new Set<string>();

  constructor(servers: readonly Fields[], cwd: string, clock: Clock) {
    this.#servers = servers;
    this.#cwd = cwd;
    this.#clock = clock;
  }

  /** Rejects only when `signal` aborts. */
  async connected(signal: AbortSignal): Promise<Connected> {
    const tried = await Promise.all(this.#servers.map((server) => this.#toolsOf(server, signal)));
    signal.throwIfAborted();
    const troubles = tried
      .flatMap(({ trouble }) => trouble ?? [])
      .filter(({ server }) => !this.#told.has(server));
    for (const { server } of troubles) this.#told.add(server);
    return { tools: distinct(tried.flatMap(({ tools }) => tools)), troubles };
  }

  async close(): Promise<void> {
    const connections = await Promise.allSettled(this.#connections.values());
    this.#connections.clear();
    await Promise.all(
      connections.map(async (one) => one.status === "fulfilled" && (await one.value.close())),
    );
  }

  async #toolsOf(
    server: Fields,
    signal: AbortSignal,
  ): Promise<{ tools: readonly McpTool[]; trouble?: { server: string; why: string } }> {
    const name = String(server.name);
    try {
      const { tools } = await this.#connection(name, server, signal);
      this.#told.delete(name);
      return { tools };
    } catch (error) {
      return { tools: [], trouble: { server: name, why: messageOf(error) } };
    }
  }

  /** One that ended, or never came up, is tried again by whoever asks next. */
  async #connection(name: string, server: Fields, signal: AbortSignal): Promise<McpConnection> {
    const known = this.#connections.get(name);
    if (known && (await known).isOpen) return known;
    const { McpConnection } = await import("./mcp-connection.ts");
    const connecting = McpConnection.open(server, this.#cwd, signal, this.#clock);
    this.#connections.set(name, connecting);
    connecting.catch((error: unknown) => {
      if (!(error instanceof SilentServer)) this.#connections.delete(name);
    });
    return connecting;
  }
}

/** What the APIs of models take for a name. */
const LONGEST_NAME = 64;

/** Names that models take, no two of them the same. */
function distinct(tools: readonly McpTool[]): McpTool[] {
  const taken = new Set<string>();
  return tools.map((tool) => {
    const plain = tool.name.replace(/[^\w-]/g, "_").slice(0, LONGEST_NAME);
    let name = plain;
    for (let count = 2; taken.has(name); count += 1) {
      name = `${plain.slice(0, LONGEST_NAME - `_${count}`.length)}_${count}`;
    }
    taken.add(name);
    return { ...tool, name };
  });
}
