import { fits, type Path } from "./path.ts";

const SECRET: readonly Path[] = [
  ["slots", "*", "env", "*"],
  ["slots", "*", "token"],
  ["slots", "*", "mcp_servers", "*", "env", "*", "value"],
  ["slots", "*", "mcp_servers", "*", "headers", "*", "value"],
  ["slots", "*", "mcp_trust", "*", "env", "*", "value"],
  ["slots", "*", "mcp_trust", "*", "headers", "*", "value"],
];

const PUBLIC: readonly Path[] = [
  ["slots", "*", "command", "*"],
  ["slots", "*", "args", "*"],
  ["slots", "*", "launch", "*"],
  ["slots", "*", "mcp_servers", "*", "command"],
  ["slots", "*", "mcp_servers", "*", "args", "*"],
  ["slots", "*", "mcp_trust", "*", "command"],
  ["slots", "*", "mcp_trust", "*", "args", "*"],
];

const startsLike = (path: Path, pattern: Path): boolean => fits(path.slice(0, pattern.length), pattern);

/** Places whose text is never shown, not even as written: what stands there is likely a key. */
export const isSecret = (path: Path): boolean => SECRET.some((pattern) => startsLike(path, pattern));

/** Places that become a process's argv, which every user of the machine can read. */
export const isPublic = (path: Path): boolean => PUBLIC.some((pattern) => startsLike(path, pattern));

/** Shorter ones are words and numbers (`yes`, `80`): replacing them would garble every text. */
const SHORTEST_SECRET = 4;

/** What is to be kept out of logs: each once, the longest first, so that no part of one is left standing. */
export const secretsOf = (values: Iterable<string>): string[] =>
  [...new Set(values)]
    .filter((value) => value.length >= SHORTEST_SECRET)
    .sort((one, other) => other.length - one.length);

/** A text without what is secret in it. */
export const masked = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((rest, secret) => rest.replaceAll(secret, "***"), text);
