import { printable } from "./printable.ts";

/** What a command found out: one JSON document for programs, or text for people, who see an agent's controls shown. */
export function print(json: boolean | undefined, document: object, text: string): void {
  process.stdout.write(json ? `${JSON.stringify(document)}\n` : printable(text));
}
