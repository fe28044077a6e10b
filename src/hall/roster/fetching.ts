import { basename } from "node:path";
import { knownAgents } from "../../agents/registry.ts";
import type { Finding } from "./finding.ts";

/** Programs that fetch a package and run it; those of npm do what the folder that they start in says. */
const OF_NPM = ["npx", "bunx", "pnpx", "npm exec", "npm x", "pnpm dlx", "yarn dlx", "bun x"];
const OTHERS = ["uvx", "uv tool", "pipx run"];

/**
 * A command that fetches its agent works, and surprises: its first start takes as long as the download, and npm's
 * runners obey the `.npmrc` and prefer the `node_modules` of the session's folder, which a client chose. Known agents
 * are fetched from a neutral folder, in a version that was tried.
 */
export function fetchingWarning(command: unknown): Finding[] {
  if (!Array.isArray(command)) return [];
  const words = command.filter((word) => typeof word === "string");
  const [program = "", ...rest] = words;
  const name = basename(program);
  const runner = [name, `${name} ${rest[0] ?? ""}`].find((one) => [...OF_NPM, ...OTHERS].includes(one));
  if (runner === undefined) return [];
  const obeys = OF_NPM.includes(runner)
    ? ", and obeys the .npmrc and node_modules of each session's folder"
    : "";
  const known = knownAgents.find(
    ({ from }) => "package" in from && rest.some((word) => names(word, from.package)),
  );
  const todo =
    known === undefined
      ? "install the agent, and write its own program here"
      : `write agent: ${known.id} instead, or install it and write its own program here`;
  return [
    {
      path: ["command"],
      about: "key",
      what: `${runner} downloads the agent when it first starts${obeys}`,
      todo,
    },
  ];
}

/** A package as it is given to a runner: with or without its version. */
const names = (word: string, wanted: string): boolean =>
  word === wanted || word.startsWith(`${wanted}@`) || word.startsWith(`${wanted}==`);
