/** One folder, as the client and as the agent call it: absolute paths. */
export interface PathPair {
  client: string;
  agent: string;
}

type Side = keyof PathPair;

/** Where a path leads on the other side: `from`, which it begins with here, is `to` there. */
export interface Passage {
  from: string;
  to: string;
}

/**
 * A slot's `cwd_map`: what paths are called on both sides. The longest folder that a path is in decides; of several of one
 * name (two people's, both `/work` at the agent) the first, or the one that the session's own folder is in. What is in
 * none is called the same on both sides.
 */
export class PathMap {
  readonly #pairs: readonly PathPair[];

  constructor(pairs: readonly PathPair[]) {
    this.#pairs = pairs.map(({ client, agent }) => ({ client: bare(client), agent: bare(agent) }));
  }

  /** For a session that works in this folder, as its client calls it. */
  forSession(cwd: string): PathMap {
    const own = longest(this.#pairs, "client", cwd);
    return own === undefined ? this : new PathMap([own, ...this.#pairs.filter((pair) => pair !== own)]);
  }

  toAgent(path: string): string {
    return passed(path, this.passage(path, "client"));
  }

  toClient(path: string): string {
    return passed(path, this.passage(path, "agent"));
  }

  /** From `side` to the other. Undefined: the path is in none of the folders. */
  passage(path: string, side: Side): Passage | undefined {
    const pair = longest(this.#pairs, side, path);
    return pair && { from: pair[side], to: pair[side === "client" ? "agent" : "client"] };
  }
}

function passed(path: string, passage: Passage | undefined): string {
  return passage === undefined ? path : `${passage.to}${path.slice(passage.from.length)}` || "/";
}

/** Without the slash that a folder may end with; the root has no name of its own then. */
const bare = (folder: string): string => folder.replace(/\/+$/, "");

const isIn = (folder: string, path: string): boolean => path === folder || path.startsWith(`${folder}/`);

function longest(pairs: readonly PathPair[], side: Side, path: string): PathPair | undefined {
  let found: PathPair | undefined;
  for (const pair of pairs) {
    if (isIn(pair[side], path) && pair[side].length > (found?.[side].length ?? -1)) found = pair;
  }
  return found;
}
