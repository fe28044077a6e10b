import { delimiter, dirname } from "node:path";
import type { Npx } from "./known-agent.ts";
import { isRemote, type Launch, type LaunchParts, spawnFailed } from "./launch.ts";
import { foldersOn, programIn } from "./program.ts";
import { shellCommand } from "./shell-command.ts";

/**
 * npx reads the `.npmrc` of the folder that it starts in, and prefers that folder's `node_modules`: started in a
 * folder that a client chose, it runs what that folder wants before any agent is there to ask. So it starts at the
 * root, and only the agent's program changes to the session's folder. Where the program's name is not known the
 * agent stays at the root; ACP gives it the session's folder anyway.
 */
const NEUTRAL = "/";

/** npx hands its own settings down as variables; an `npx` that the agent runs would take them for its own. */
const FORGET_NPX = "unset npm_config_call npm_config_package npm_config_yes npm_config_local_prefix INIT_CWD";

/** `npx` of exactly this version; it fetches the package when it has not got it. */
export function npxLaunch(
  { package: name, version, program }: Npx,
  args: string[],
  parts: LaunchParts,
): Launch {
  const pinned = `${name}@${version}`;
  const plain = ["-y", pinned, ...args];
  const env = isRemote(parts) ? {} : withNode(parts);
  const path = env.PATH ?? parts.path;
  const npx = isRemote(parts) ? "npx" : runner("npx", "npm", { ...parts, path });
  const start = { program: npx, env, startIn: NEUTRAL, fetches: pinned };
  if (program === undefined) return { ...start, args: plain };
  const command = `${FORGET_NPX}; cd ${shellCommand(parts.cwd === undefined ? [] : [parts.cwd])} && exec ${shellCommand([program, ...args])}`;
  return { ...start, args: ["-y", `--package=${pinned}`, "-c", command] };
}

/** `uvx` of exactly this version. Unlike npx it reads nothing of the folder that it starts in. */
export function uvxLaunch(name: string, version: string, args: string[], parts: LaunchParts): Launch {
  const pinned = `${name}==${version}`;
  const program = isRemote(parts) ? "uvx" : runner("uvx", "uv", parts);
  return { program, args: [pinned, ...args], env: {}, fetches: pinned };
}

/** npm's programs are scripts that look for `node` on PATH: a hall's own Node is not always there. */
export function withNode({ path, node = process.execPath }: LaunchParts): Record<string, string> {
  const folders = foldersOn(path);
  return programIn(folders, "node") ? {} : { PATH: [...folders, dirname(node)].join(delimiter) };
}

function runner(name: string, comesWith: string, { slot, path }: LaunchParts): string {
  const folders = foldersOn(path);
  const program = programIn(folders, name);
  if (program) return program;
  const searched = folders.join(delimiter);
  throw spawnFailed(
    slot,
    `There is no ${name} on PATH (${searched}); install ${comesWith}, or the agent itself.`,
  );
}
