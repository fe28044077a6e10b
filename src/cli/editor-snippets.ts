import { shellCommand } from "../agents/shell-command.ts";

/** The command that an editor starts; both as full paths, since an editor's PATH is not the shell's. */
interface Start {
  command: string;
  args: readonly string[];
}

interface EditorEntry {
  /** Where the snippet goes. */
  place: string;
  snippet(start: Start): string;
}

export type Editor = "zed" | "jetbrains" | "acpx" | "neovim";

/** How each editor is told of an agent, as its own documentation has it. */
export const EDITORS: Readonly<Record<Editor, EditorEntry>> = {
  // zed.dev/docs/ai/external-agents
  zed: {
    place: 'Into the settings of Zed (command "zed: open settings file"):',
    snippet: (start) => json({ agent_servers: { Hall: { type: "custom", ...start, env: {} } } }),
  },
  // jetbrains.com/help/ai-assistant/acp.html
  jetbrains: {
    place: 'Into ~/.jetbrains/acp.json (AI Chat, menu "Configure ACP Agents"):',
    snippet: (start) => json({ agent_servers: { Hall: { ...start, env: {} } } }),
  },
  // Of acpx's two forms the one that all of its versions read.
  acpx: {
    place: "Into ~/.acpx/config.json; then: acpx hall exec 'hello'",
    snippet: (start) => json({ agents: { hall: { command: shellCommand([start.command, ...start.args]) } } }),
  },
  neovim: {
    place: "Into init.lua, for the plugin that you have:",
    snippet: neovim,
  },
};

const json = (value: object): string => JSON.stringify(value, null, 2);

/** JSON's strings are Lua's, but for characters that no path of ours needs escaped. */
function neovim({ command, args }: Start): string {
  const list = (words: readonly string[]): string =>
    `{ ${words.map((word) => JSON.stringify(word)).join(", ")} }`;
  return `-- CodeCompanion
require("codecompanion").setup({
  adapters = {
    acp = {
      hall = function()
        return require("codecompanion.adapters").extend("opencode", {
          name = "hall",
          formatted_name = "Hall",
          commands = { default = ${list([command, ...args])} },
        })
      end,
    },
  },
  interactions = { chat = { adapter = "hall" } },
})

-- or avante.nvim
require("avante").setup({
  provider = "hall",
  acp_providers = {
    hall = { command = ${JSON.stringify(command)}, args = ${list(args)} },
  },
})`;
}
