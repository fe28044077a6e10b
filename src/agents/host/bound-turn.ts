import type { Turn } from "./turn.ts";

/** A turn whose functions work by themselves: a module may take it apart (`({ text, say }) => say(text)`), or spread it. */
export const boundTurn = (turn: Turn): Turn => ({
  blocks: turn.blocks,
  text: turn.text,
  session: turn.session,
  signal: turn.signal,
  say: (what) => turn.say(what),
  think: (what) => turn.think(what),
  plan: (entries) => turn.plan(entries),
  tool: (tool) => turn.tool(tool),
  ask: (question) => turn.ask(question),
  choose: (question) => turn.choose(question),
  readFile: (path, part) => turn.readFile(path, part),
  writeFile: (path, text) => turn.writeFile(path, text),
  terminal: (command, options) => turn.terminal(command, options),
  mcpTools: () => turn.mcpTools(),
  update: (update) => turn.update(update),
});
