import type { Argument, Command, Option } from "commander";

const HEAD = `# Commands

<!-- Written by the tests: npm run docs -->

\`\`\`console
$ hall ping --connect unix:./no-such.sock; echo "exit code $?"
hall: No hall answers at unix:…/no-such.sock (ENOENT); hall serve starts one.
exit code 3
\`\`\`

Each command has \`--help\`, which says what stands here. What goes wrong is one sentence on stderr, and an exit code.

## Rules for all

**Which hall.** A command that talks to a hall takes, in this order: \`--connect\`, an address (\`unix:PATH\`,
\`tcp://HOST:PORT\`, \`tls://HOST:PORT\`, \`ws://HOST:PORT\`, \`wss://HOST:PORT\`); \`$HALL_CONNECT\`, the same; the hall of the
roster that \`--config\` names; the one hall of this user that runs. When several run, and none is named, it lists them.

**Which roster.** A command that works on a roster takes \`--config\`, \`$HALL_CONFIG\`, \`./hall.yml\`, and then
\`$XDG_CONFIG_HOME/hall/hall.yml\` (\`~/.config/hall/hall.yml\`). \`hall acp\`, which editors start in any folder, passes
\`./hall.yml\` over.

**Tokens.** From other machines, or as another user, a token has to be shown: in \`$HALL_TOKEN\`, or by \`--token-file\`
where the command has it. None is ever an argument: arguments can be read by every user. [Access](access.md) has the rest;
\`$HALL_TLS_CA\`, \`$HALL_TLS_CERT\` and \`$HALL_TLS_KEY\` name files for TLS.

**Output.** Data is on stdout, all else on stderr. \`--json\` prints one document whose keys stay. Colours are shown on a
terminal only, and not with \`NO_COLOR\`.

**Exit codes.**

| code | means |
| --- | --- |
| 0 | done |
| 1 | failed |
| 2 | wrong usage, or a wrong roster |
| 3 | no hall there |
| 4 | not authorised |
| 5, 6, 7 | of \`hall prompt\`: the model refused; a limit of tokens or requests was reached; cancelled |
`;

/** What docs/cli.md is to say of these commands, in this order. */
export const cliPage = (commands: readonly Command[]): string =>
  [HEAD, ...commands.flatMap((command) => sectionsOf(command, ["hall"]))].join("\n");

/** A command, and those below it. */
function sectionsOf(command: Command, parents: readonly string[]): string[] {
  const name = [...parents, command.name()];
  return [
    [
      `${"#".repeat(name.length)} ${name.join(" ")}`,
      "",
      lineBroken(command.description()),
      "",
      "```text",
      usageOf(command, name),
      "```",
      ...exampleBlock(command),
      ...tableOf("argument", command.registeredArguments.map(argumentRow)),
      ...tableOf("option", shown(command).map(optionRow)),
      "",
    ].join("\n"),
    ...command.commands.flatMap((sub) => sectionsOf(sub, name)),
  ];
}

/** Without what help hides. */
const shown = (command: Command): Option[] => command.options.filter(({ hidden }) => !hidden);

const usageOf = (command: Command, name: readonly string[]): string =>
  `${name.join(" ")} ${command.usage()}`.trimEnd();

function exampleBlock(command: Command): string[] {
  const examples = examplesOf(command);
  return examples.length === 0 ? [] : ["", "For example:", "", "```sh", ...examples, "```"];
}

/** The lines of the command's own examples, as its help has them. */
export function examplesOf(command: Command): string[] {
  const [, examples = ""] = /\nExamples?\b.*:\n((?: +\S.*\n?)+)/.exec(helpOf(command)) ?? [];
  return examples
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/** All of it, with what was added at its end. */
function helpOf(command: Command): string {
  let help = "";
  command.configureOutput({ writeOut: (text) => (help += text) });
  command.outputHelp();
  return help;
}

function argumentRow(argument: Argument): string[] {
  const { required, variadic, argChoices, description } = argument;
  const name = `${argument.name()}${variadic ? "..." : ""}`;
  return [required ? `<${name}>` : `[${name}]`, withChoices(description, argChoices)];
}

const optionRow = ({ flags, description, argChoices, defaultValue }: Option): string[] => [
  flags,
  [
    withChoices(description, argChoices),
    ...(defaultValue === undefined || defaultValue === false ? [] : [` (default: ${String(defaultValue)})`]),
  ].join(""),
];

const withChoices = (description: string, choices: readonly string[] | undefined): string =>
  choices === undefined ? description : `${description} (${choices.join(", ")})`;

const tableOf = (kind: string, rows: readonly string[][]): string[] =>
  rows.length === 0
    ? []
    : [
        "",
        `| ${kind} | |`,
        "| --- | --- |",
        ...rows.map(([name, text]) => `| \`${cell(name)}\` | ${cell(text)} |`),
      ];

const cell = (text = ""): string => text.replaceAll("|", "\\|");

const WIDTH = 118;

/** Words in lines as the pages have them. */
function lineBroken(text: string): string {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1);
    if (line === undefined || line.length + word.length >= WIDTH) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines.join("\n");
}
