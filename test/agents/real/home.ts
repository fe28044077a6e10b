import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { type Pinned, programsOf } from "../install.ts";

/** The environment of an agent that shall find its own program, and nothing of the person's who runs the tests. */
export const environmentOf = (pinned: Pinned, home: string): Record<string, string> => ({
  PATH: [programsOf(pinned), process.env.PATH].join(delimiter),
  HOME: home,
  XDG_CONFIG_HOME: join(home, ".config"),
  XDG_DATA_HOME: join(home, ".local", "share"),
  XDG_STATE_HOME: join(home, ".local", "state"),
  XDG_CACHE_HOME: join(home, ".cache"),
  NO_PROXY: "127.0.0.1",
  no_proxy: "127.0.0.1",
});

/** Writes a file into an agent's home, with the folders above it. */
export function putInHome(home: string, path: string, text: string): void {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
