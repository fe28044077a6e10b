import { type Fields, isFields } from "../../acp/checks.ts";

/** A line that a program wrote, as the JSON object that it is; undefined: it is none. */
export function objectIn(line: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Of a line that is no message, what goes into the log. */
export const strayLine = (line: string): string =>
  `a line on stdout that is no message: ${line.slice(0, 500)}`;

export const textOf = (fields: Fields, name: string): string =>
  typeof fields[name] === "string" ? fields[name] : "";

/** A text that says something, or nothing. */
export const wordsOf = (fields: Fields, name: string): string | undefined =>
  textOf(fields, name) || undefined;

export const numberOf = (fields: Fields, name: string): number =>
  typeof fields[name] === "number" ? fields[name] : 0;

export const fieldsIn = (fields: Fields, name: string): Fields => {
  const value = fields[name];
  return isFields(value) ? value : {};
};

export const listIn = (fields: Fields, name: string): Fields[] => {
  const value = fields[name];
  return Array.isArray(value) ? value.filter(isFields) : [];
};
