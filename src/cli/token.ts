import { Command, Option } from "commander";
import { systemClock } from "../ground/clock.ts";
import { SCOPES, type Scope } from "../hall/grant.ts";
import type { Roster } from "../hall/roster.ts";
import { newToken, type Token } from "../server/token.ts";
import { changeTokens, readTokens } from "../server/token-file.ts";
import { loadRoster, rosterFile } from "./chosen-roster.ts";
import { columns } from "./columns.ts";
import { JSON_OUTPUT } from "./flags.ts";
import { outsideOnly } from "./outside-only.ts";
import { printable } from "./printable.ts";
import { UsageError } from "./usage.ts";

interface TokenOptions {
  config?: string;
  slots?: string;
  scopes?: string;
  json?: boolean;
}

const ROSTER = new Option(
  "--config <file>",
  "the roster (default: $HALL_CONFIG, ./hall.yml, then the one in the config folder)",
);

/** What an editor needs. */
const USUAL_SCOPES = "prompt,approve";

export const command = (): Command =>
  new Command("token")
    .summary("who may use a hall from other machines")
    .description(
      "Says who may use a hall from other machines, or as another user of this one. Only hashes are kept, in the file " +
        "that the roster calls tokens_file. A hall that runs knows of each change at once.",
    )
    .addCommand(
      new Command("add")
        .summary("make a token, and print it: it is shown this once")
        .description(
          "Makes a token and prints it: this once, nobody can look it up again. Scopes are observe (read its own " +
            "sessions), prompt (work in them), approve (be asked what agents may do), admin (everything).",
        )
        .argument("<name>", "whose it is, for people")
        .option("--scopes <scopes>", "what it may do", USUAL_SCOPES)
        .option("--slots <slots>", "the slots that it may use (default: all)")
        .addOption(ROSTER)
        .addOption(JSON_OUTPUT)
        .addHelpText("after", "\nExample:\n  hall token add ann --slots claude,codex > ann.token")
        .action(add),
    )
    .addCommand(
      new Command("list")
        .summary("who has a token")
        .description("Lists who has a token, and what each may do.")
        .addOption(ROSTER)
        .addOption(JSON_OUTPUT)
        .addHelpText("after", "\nExample:\n  hall token list --json")
        .action(list),
    )
    .addCommand(
      new Command("revoke")
        .summary("take a token back")
        .description("Takes a token back. Whoever is in by it is out within a second; their sessions stay.")
        .argument("<name>", "as it was added")
        .addOption(ROSTER)
        .addHelpText("after", "\nExample:\n  hall token revoke ann")
        .action(revoke),
    );

function add(name: string, { config, slots, scopes = USUAL_SCOPES, json }: TokenOptions): void {
  const roster = rosterHere(config);
  if (name.trim() === "" || name === "local")
    throw new UsageError(`A token cannot be called ${JSON.stringify(name)}; take another name.`);
  const wishes = { name, scopes: scopesOf(scopes), slots: slotsOf(slots, roster) };
  const { token, secret } = newToken(wishes, systemClock.now());
  changeTokens(roster.tokensFile, (tokens) => {
    if (tokens.some((one) => one.name === name))
      throw new UsageError(
        `There is a token ${JSON.stringify(name)} already; hall token revoke takes it back.`,
      );
    return [...tokens, token];
  });
  if (json) process.stdout.write(`${JSON.stringify({ ...shown(token), token: secret })}\n`);
  else {
    process.stdout.write(`${secret}\n`);
    process.stderr.write(printable(`This is the token of ${name}. It is not shown again.\n`));
  }
}

function list({ config, json }: TokenOptions): void {
  const tokens = readTokens(rosterHere(config).tokensFile);
  if (json) process.stdout.write(`${JSON.stringify({ tokens: tokens.map(shown) })}\n`);
  else if (tokens.length === 0) process.stdout.write("There are no tokens; hall token add makes one.\n");
  else process.stdout.write(printable(`${columns([HEADS, ...tokens.map(row)]).join("\n")}\n`));
}

function revoke(name: string, { config }: TokenOptions): void {
  changeTokens(rosterHere(config).tokensFile, (tokens) => {
    const left = tokens.filter((token) => token.name !== name);
    if (left.length === tokens.length)
      throw new UsageError(
        `There is no token ${JSON.stringify(name)}; hall token list shows those that there are.`,
      );
    return left;
  });
  process.stdout.write(printable(`The token of ${name} is revoked.\n`));
}

/** An agent must not make itself a key to the house that it works in. */
function rosterHere(config: string | undefined): Roster {
  outsideOnly("hall token", "have to do with the tokens of the hall that it runs in");
  return loadRoster(rosterFile(config));
}

const words = (list: string): string[] =>
  list
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");

function scopesOf(list: string): Scope[] {
  const scopes = words(list).map((word) => {
    const scope = SCOPES.find((one) => one === word);
    if (!scope)
      throw new UsageError(`There is no scope ${JSON.stringify(word)}; there are: ${SCOPES.join(", ")}.`);
    return scope;
  });
  if (scopes.length === 0) throw new UsageError(`--scopes names none; there are: ${SCOPES.join(", ")}.`);
  return [...new Set(scopes)];
}

function slotsOf(list: string | undefined, { slots }: Roster): string[] | undefined {
  if (list === undefined) return undefined;
  const names = slots.map(({ name }) => name);
  const wanted = [...new Set(words(list))];
  const unknown = wanted.find((name) => !names.includes(name));
  if (unknown !== undefined || wanted.length === 0)
    throw new UsageError(`--slots names ${unknown ?? "none"}; the roster has: ${names.join(", ")}.`);
  return wanted;
}

const shown = ({ name, scopes, slots, created }: Token): object => ({
  name,
  scopes,
  slots: slots ?? null,
  created,
});

const HEADS = ["NAME", "SCOPES", "SLOTS", "CREATED"];

const row = ({ name, scopes, slots, created }: Token): string[] => [
  name,
  scopes.join(","),
  slots?.join(",") ?? "all",
  created.slice(0, 10),
];
