import { isDeepStrictEqual } from "node:util";
import { isMap, isNode, isScalar, type ParsedNode, parseDocument, type YAMLMap } from "yaml";
import { type SlotText, slotLines } from "./slot-text.ts";

/** How rosters are read. */
const YAML = { version: "1.2", schema: "core", merge: false, logLevel: "error" } as const;

type SlotMap = YAMLMap<ParsedNode, ParsedNode | null>;

/**
 * The text of a roster with one slot more, at the end of its slots. Nothing else of it changes: comments, order,
 * indentation, line ends and anchors stay byte for byte. Undefined where the text is so unusual that this cannot be
 * promised; then somebody has to add it by hand.
 */
export function withSlot(text: string, slot: SlotText): string | undefined {
  const slots = slotsIn(text);
  if (!slots) return undefined;
  const added = slots.flow ? inBraces(text, slots, slot) : inBlock(text, slots, slot);
  return added !== undefined && isOnlyAddition(text, added, slot.name) ? added : undefined;
}

function slotsIn(text: string): SlotMap | undefined {
  const { contents, errors } = parseDocument(text, YAML);
  if (errors.length > 0 || !isMap(contents)) return undefined;
  const found = contents.items.find(({ key }) => isScalar(key) && key.value === "slots")?.value;
  return isMap(found) && found.items.length > 0 ? found : undefined;
}

/** Where a node's own text begins, and where it ends: `range` has that, and where what follows it ends. */
const startOf = (node: unknown): number | undefined => (isNode(node) ? node.range?.[0] : undefined);
const endOf = (node: unknown): number | undefined => (isNode(node) ? node.range?.[1] : undefined);

const lineStart = (text: string, at: number): number => text.lastIndexOf("\n", at - 1) + 1;

/** The spaces before a key that begins its line; undefined: something else stands before it. */
function indentOf(text: string, key: unknown): string | undefined {
  const at = startOf(key);
  if (at === undefined) return undefined;
  const before = text.slice(lineStart(text, at), at);
  return /^ *$/.test(before) ? before : undefined;
}

function inBlock(text: string, { items }: SlotMap, slot: SlotText): string | undefined {
  const [first] = items;
  const last = items.at(-1);
  const indent = indentOf(text, first?.key);
  const end = endOf(last?.value) ?? endOf(last?.key);
  if (indent === undefined || indent === "" || end === undefined) return undefined;
  const at = behindComments(text, behindLine(text, end), indent);
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const block = slotLines(slot, indent, stepOf(text, first?.value, indent));
  const isSpaced = items.slice(1).some(({ key }) => isAfterBlank(text, startOf(key) ?? 0, indent));
  const whole = text.slice(0, at);
  const before = [whole === "" || whole.endsWith("\n") ? "" : newline, isSpaced ? newline : ""].join("");
  return whole + before + block.map((line) => line + newline).join("") + text.slice(at);
}

/** The spaces by which a slot's keys stand deeper than its name. */
function stepOf(text: string, slot: unknown, indent: string): string {
  const inner = isMap(slot) && !slot.flow ? indentOf(text, slot.items[0]?.key) : undefined;
  return inner !== undefined && inner.length > indent.length ? inner.slice(indent.length) : indent;
}

/** Behind the end of the line that this is in; of a block of text that ends with its line, right there. */
function behindLine(text: string, at: number): number {
  if (text[at - 1] === "\n") return at;
  const end = text.indexOf("\n", at);
  return end === -1 ? text.length : end + 1;
}

/** Comments below a slot that stand deeper than its name belong to it. */
function behindComments(text: string, from: number, indent: string): number {
  let at = from;
  for (;;) {
    const end = behindLine(text, at + 1);
    const [, spaces] = /^( *)#/.exec(text.slice(at, end)) ?? [];
    if (at >= text.length || spaces === undefined || spaces.length <= indent.length) return at;
    at = end;
  }
}

/** Whether a blank line stands before a key, or before the comments above it. */
function isAfterBlank(text: string, key: number, indent: string): boolean {
  const lines = text.slice(0, lineStart(text, key)).split("\n").slice(0, -1);
  while (lines.at(-1)?.startsWith(`${indent}#`)) lines.pop();
  return lines.at(-1)?.trim() === "";
}

/** Slots in braces, as JSON has them: quoted, so that JSON stays JSON. */
function inBraces(text: string, { items, range }: SlotMap, { name, keys }: SlotText): string | undefined {
  const last = items.at(-1);
  const end = endOf(last?.value) ?? endOf(last?.key);
  if (end === undefined || !range) return undefined;
  const quote = (word: string): string => (word.startsWith("[") ? listOf(word) : JSON.stringify(word));
  const fields = keys.map(([key, value]) => `${JSON.stringify(key)}: ${quote(value)}`);
  const entry = `${JSON.stringify(name)}: { ${fields.join(", ")} }`;
  const indent = text.slice(end, range[1]).includes("\n") ? indentOf(text, last?.key) : undefined;
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const gap = indent === undefined ? " " : newline + indent;
  return `${text.slice(0, end)},${gap}${entry}${text.slice(end)}`;
}

/** `[A, B]`, each quoted. */
const listOf = (words: string): string =>
  JSON.stringify(
    words
      .slice(1, -1)
      .split(",")
      .map((word) => word.trim()),
  );

/** That nothing else means anything else now. */
function isOnlyAddition(before: string, after: string, name: string): boolean {
  const [old, changed] = [before, after].map((text) => parseDocument(text, YAML));
  if (!old || !changed || changed.errors.length > 0 || !changed.hasIn(["slots", name])) return false;
  changed.deleteIn(["slots", name]);
  return isDeepStrictEqual(changed.toJS(), old.toJS());
}
