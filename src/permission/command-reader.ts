import type { Command, ParsedScript, Redirect, SyntaxNode } from "unbash";
import { canonicalPath } from "./canonical-path.ts";
import { HOLE } from "./glob.ts";
import { baseName, innerCommands } from "./inner-command.ts";
import { type Part, place, shown, untold, words } from "./part.ts";
import { assignmentText, wordText } from "./shell-word.ts";

/** The parser of shell scripts, as much of it as is used. It is handed in: it is loaded when it is first needed. */
export type Shell = Pick<typeof import("unbash"), "parse" | "forEachChild">;

/** UTF-16 units of a command line that is still taken apart. */
const LONGEST_SCRIPT = 64 * 1024;
const MOST_PARTS = 500;
/** How deep scripts may stand in scripts. */
const DEEPEST = 12;
/** Words at the end of a wrapper's arguments at which a deny looks for a program. */
const MOST_TAILS = 16;

/** After one of these a relative path means another folder. */
const MOVERS: ReadonlySet<string> = new Set(["cd", "pushd", "popd", "chdir"]);

/** Nothing is read from these or kept in them. */
const HARMLESS_FILES: ReadonlySet<string> = new Set([
  "/dev/null",
  "/dev/stdin",
  "/dev/stdout",
  "/dev/stderr",
]);

/** Bash computes with a variable's value as an expression, in which an index may run a command. */
const COMPUTING = new Set(["-eq", "-ne", "-lt", "-le", "-gt", "-ge"]);

/** Where none is needed. */
export const NO_SHELL: Shell = {
  parse() {
    throw new Error("A command is to be taken apart, and the shell's parser is not loaded.");
  },
  forEachChild() {},
};

/** What a command line, or a program with its arguments, does: all its parts, those within parts as well. */
export function partsOfCommand(command: string | readonly string[], cwd: string, shell: Shell): Part[] {
  const reader = new CommandReader(cwd, shell);
  if (typeof command === "string") reader.script(command, 0);
  else reader.program(command, [], 0);
  return reader.parts();
}

/** Takes one command apart. */
class CommandReader {
  readonly #cwd: string;
  readonly #shell: Shell;
  readonly #parts: Part[] = [];
  readonly #redirects: { kind: "read" | "edit"; sign: string; target: string }[] = [];
  #moves = false;

  constructor(cwd: string, shell: Shell) {
    this.#cwd = cwd;
    this.#shell = shell;
  }

  /** What was found. */
  parts(): Part[] {
    if (this.#parts.length + this.#redirects.length > MOST_PARTS)
      return [untold("a command of too many parts")];
    return [...this.#parts, ...this.#redirects.flatMap((redirect) => this.#redirectPart(redirect))];
  }

  script(source: string, depth: number): void {
    if (source.length > LONGEST_SCRIPT || source.includes(HOLE) || depth > DEEPEST) {
      this.#add(untold(shown(source)));
      return;
    }
    this.#visit(this.#shell.parse(source), depth);
  }

  program(argv: readonly string[], assignments: readonly string[], depth: number): void {
    const [name = "", ...rest] = argv;
    const text = [...assignments, ...argv].join(" ");
    if (MOVERS.has(name) || name.includes(HOLE)) this.#moves = true;
    const inner = depth > DEEPEST ? ["untold" as const] : innerCommands(argv);
    const tails =
      inner.length === 0 ? [] : rest.slice(0, MOST_TAILS).map((_, at) => rest.slice(at).join(" "));
    const spellings = [argv.join(" "), [baseName(name), ...rest].join(" "), ...tails];
    // A name with a space in it looks like a program and its argument.
    const isPlain = name !== "" && !/\s/.test(name);
    this.#add({
      shown: shown(text),
      own: isPlain ? words(text) : undefined,
      aliases: spellings.filter((spelling) => spelling !== text).map(words),
      counts: true,
    });
    for (const command of inner) {
      if (command === "untold") this.#add(untold(`what ${shown(text)} runs`));
      else if ("script" in command) this.script(command.script, depth + 1);
      else this.program(command.argv, [], depth + 1);
    }
  }

  #add(part: Part): void {
    if (this.#parts.length <= MOST_PARTS) this.#parts.push(part);
  }

  #visit(node: SyntaxNode, depth: number): void {
    switch (node.type) {
      case "Script":
        if (hasErrors(node)) this.#add(untold("what is no shell command"));
        break;
      case "Command":
        this.#command(node, depth);
        break;
      case "Redirect":
        this.#redirect(node);
        break;
      case "CommandExpansion":
      case "ProcessSubstitution":
      case "ArithmeticCommandExpansion":
        if (node.script === undefined) this.#add(untold(shown(node.text)));
        break;
      case "ArithmeticWord":
        if (!/^\d*$/.test(node.value)) this.#add(untold(`what ${shown(node.value)} is when it is computed`));
        break;
      case "TestBinary":
        if (COMPUTING.has(node.operator)) this.#add(untold(`what is compared by ${node.operator}`));
        break;
      case "TestUnary":
        if (node.operator === "-v") this.#add(untold("what is looked for by -v"));
        break;
      case "Transform":
        this.#add(untold("what an @ in a parameter makes of it"));
        break;
    }
    this.#shell.forEachChild(node, (child) => this.#visit(child, depth));
  }

  #command({ name, prefix, args }: Command, depth: number): void {
    const assignments = prefix.flatMap((entry) =>
      entry.type === "Assignment" ? [assignmentText(entry)] : [],
    );
    if (name) {
      const given = args.map((arg) => (arg.type === "Assignment" ? assignmentText(arg) : wordText(arg)));
      this.program([wordText(name), ...given], assignments, depth);
    } else if (assignments.length > 0) {
      const text = assignments.join(" ");
      this.#add({ shown: shown(text), own: words(text), aliases: [], counts: true });
    }
  }

  #redirect({ operator, target }: Redirect): void {
    const file = target === undefined ? HOLE : wordText(target);
    const isCopy = operator === "<&" || operator === ">&";
    if ((isCopy && /^(?:\d+|-|\d+-)$/.test(file)) || HARMLESS_FILES.has(file)) return;
    const kind = operator === "<" || operator === "<&" ? "read" : "edit";
    this.#redirects.push({ kind, sign: kind === "read" ? "<" : ">", target: file });
  }

  #redirectPart({ kind, sign, target }: { kind: "read" | "edit"; sign: string; target: string }): Part[] {
    const file = this.#fileOf(target);
    return [
      {
        shown: shown(`${sign} ${file === HOLE ? target : file}`),
        own: words(`${sign} ${file}`),
        aliases: [],
        file: { kind, subject: place(file) },
        counts: true,
      },
    ];
  }

  #fileOf(target: string): string {
    const isKnown = !target.includes(HOLE) && target !== "" && (target.startsWith("/") || !this.#moves);
    const file = target.startsWith("/") ? target : `${this.#cwd}/${target}`;
    return (isKnown ? canonicalPath(file) : undefined) ?? HOLE;
  }
}

const hasErrors = (script: ParsedScript): boolean => (script.errors?.length ?? 0) > 0;
