import type { Block } from "./page.ts";

/** A command of an example, and what is to come of it. */
export interface Step {
  /** May have several lines. */
  command: string;
  /** Lines; `…` stands for anything in a line, and alone in one for any lines, or none. */
  output: readonly string[];
}

/** What a page begins with: files, and commands that are typed where they are. */
export interface Example {
  /** By name. */
  files: Map<string, string>;
  steps: Step[];
}

/** Files say their names in a comment on their first line; a `console` block has the commands, each after `$ `. */
export function exampleOf(blocks: readonly Block[]): Example {
  const files = new Map<string, string>();
  for (const { text } of blocks) {
    const [, name] = /^(?:#|\/\/) (\S+\.\w+)\n/.exec(text) ?? [];
    if (name !== undefined) files.set(name, text);
  }
  const steps: Step[] = [];
  for (const { language, text } of blocks) if (language === "console") steps.push(...stepsOf(text));
  return { files, steps };
}

const stepsOf = (console: string): Step[] =>
  console.split(/^\$ /m).flatMap((part) => {
    const [command = "", ...output] = part.trimEnd().split("\n");
    return command === "" ? [] : [{ command, output }];
  });

/** Whether this is what was to come. */
export function isAsWritten(printed: string, { output }: Step): boolean {
  const lines = output.map((line) => {
    if (line === "…") return "(?:.*\n)*?";
    return `${line.trimEnd().split("…").map(literally).join(".*")} *\n`;
  });
  return new RegExp(`^${lines.join("")}$`).test(
    printed === "" || printed.endsWith("\n") ? printed : `${printed}\n`,
  );
}

const literally = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
