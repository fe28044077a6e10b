import type { Fields } from "../../../acp/checks.ts";
import { listIn, textOf } from "../native-line.ts";

/** MCP servers of ACP, as Codex's configuration writes them. They travel by stdin: servers have secrets. */
export const codexServers = (servers: readonly Fields[]): Fields =>
  Object.fromEntries(
    servers.map((server) => {
      const name = textOf(server, "name").replaceAll(/\s+/g, "_");
      if (typeof server.url === "string")
        return [name, { url: server.url, http_headers: pairs(server, "headers") }];
      return [name, { command: server.command, args: server.args ?? [], env: pairs(server, "env") }];
    }),
  );

const pairs = (server: Fields, name: string): Fields =>
  Object.fromEntries(listIn(server, name).map((pair) => [textOf(pair, "name"), textOf(pair, "value")]));
