import { isAbsolute, join, resolve } from "node:path";

/** Where a roster may be looked for. */
export interface RosterSearch {
  /** What `--config` says. */
  config?: string | undefined;
  env: NodeJS.ProcessEnv;
  /** The folder that the command runs in. */
  here: string;
  /**
   * Whether `./hall.yml` counts: only for what a person runs on that file (serve, check, init, agents add). A roster is
   * a program, and an editor starts `hall acp` in whatever folder is open.
   */
  hereCounts: boolean;
  /** The user's home folder. */
  home: string;
  exists: (path: string) => boolean;
}

export type FoundRoster = { file: string } | { problem: string };

/** The roster to use, whether it is there or not if it was named; or why there is none, and what to do. */
export function findRoster({ config, env, here, hereCounts, home, exists }: RosterSearch): FoundRoster {
  if (config !== undefined && config !== "") return { file: resolve(here, config) };
  const named = env.HALL_CONFIG;
  if (named) {
    if (hereCounts || isAbsolute(named)) return { file: resolve(here, named) };
    return {
      problem: `$HALL_CONFIG is ${named}, which means another file in each folder; write an absolute path.`,
    };
  }
  const local = join(here, "hall.yml");
  if (hereCounts && exists(local)) return { file: local };
  const own = join(configHome(env, home), "hall", "hall.yml");
  if (exists(own)) return { file: own };
  const looked = hereCounts ? `${local} and ${own}` : own;
  return {
    problem: `There is no roster: looked for ${looked}. hall init writes one; --config names another.`,
  };
}

/** XDG Base Directory Specification: a relative path is invalid and is ignored. */
function configHome(env: NodeJS.ProcessEnv, home: string): string {
  const named = env.XDG_CONFIG_HOME;
  return named && isAbsolute(named) ? named : join(home, ".config");
}
