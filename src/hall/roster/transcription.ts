import { isAlias, isMap, isScalar, isSeq, type Node } from "yaml";
import type { Path } from "./path.ts";
import { emptyScalar, type Place, type Written, type WrittenEntry, type WrittenScalar } from "./written.ts";
import { YAML_ERRORS } from "./yaml-errors.ts";

/** With every alias written out. A roster of a hundred slots has some thousands. */
const MOST_VALUES = 100_000;
/** A roster needs seven. */
const DEEPEST = 64;

/** Something that is wrong with the file before its keys mean anything. */
export interface DocumentFault {
  at: Place;
  path: Path;
  /** What is wrong; what to do. */
  message: string;
}

/**
 * What stands in the file, from the parser's nodes: one walk in the order of the file, so that an alias finds the
 * anchor before it.
 */
export class Transcription {
  readonly faults: DocumentFault[] = [];
  /** Something could not be taken, and is missing from the whole. */
  incomplete = false;
  readonly #place: (offset: number) => Place;
  readonly #anchors = new Map<string, Written>();

  constructor(place: (offset: number) => Place) {
    this.#place = place;
  }

  of(node: Node, path: Path): Written {
    const at = this.#at(node);
    if (isAlias(node)) return this.#anchors.get(node.source) ?? this.#unresolved(at, path);
    const written = this.#bounded(this.#content(node, at, path));
    if ((isMap(node) || isSeq(node) || isScalar(node)) && node.anchor !== undefined) {
      this.#anchors.set(node.anchor, written);
    }
    return written;
  }

  #content(node: Node, at: Place, path: Path): Written {
    if (isScalar(node)) return scalar(node.value, node.source, at);
    const content: Written = isMap(node)
      ? { kind: "map", at, weight: 1, depth: 1, entries: this.#entries(node.items, at, path) }
      : {
          kind: "list",
          at,
          weight: 1,
          depth: 1,
          items: isSeq(node) ? this.#items(node.items, at, path) : [],
        };
    for (const part of partsOf(content)) {
      content.weight += part.weight;
      content.depth = Math.max(content.depth, part.depth + 1);
    }
    return content;
  }

  #items(nodes: readonly unknown[], at: Place, path: Path): Written[] {
    return nodes.map((node, index) => (isNode(node) ? this.of(node, [...path, index]) : emptyScalar(at)));
  }

  #entries(
    pairs: readonly { key: unknown; value: unknown }[],
    at: Place,
    path: Path,
  ): Map<string, WrittenEntry> {
    const entries = new Map<string, WrittenEntry>();
    for (const pair of pairs) {
      const keyAt = isNode(pair.key) ? this.#at(pair.key) : at;
      const key = isNode(pair.key) ? this.of(pair.key, path) : emptyScalar(at);
      const name = key.kind === "scalar" ? key.text : "";
      const inner = [...path, name];
      const value = isNode(pair.value) ? this.of(pair.value, inner) : emptyScalar(keyAt);
      const message = keyFault(key) ?? repetition(entries.get(name));
      if (message === undefined) entries.set(name, { keyAt, value });
      else this.faults.push({ at: keyAt, path: name === "" ? path : inner, message });
    }
    return entries;
  }

  #bounded(written: Written): Written {
    if (written.weight <= MOST_VALUES && written.depth <= DEEPEST) return written;
    if (!this.incomplete) {
      const message =
        written.depth > DEEPEST
          ? YAML_ERRORS.RESOURCE_EXHAUSTION
          : `the file holds more than ${MOST_VALUES} values with its aliases written out; use fewer of them`;
      this.faults.push({ at: written.at, path: [], message });
    }
    this.incomplete = true;
    return emptyScalar(written.at);
  }

  #unresolved(at: Place, path: Path): Written {
    this.faults.push({ at, path, message: YAML_ERRORS.BAD_ALIAS });
    this.incomplete = true;
    return emptyScalar(at);
  }

  #at(node: Node): Place {
    return this.#place(node.range?.[0] ?? 0);
  }
}

const isNode = (value: unknown): value is Node =>
  isMap(value) || isSeq(value) || isScalar(value) || isAlias(value);

const partsOf = (content: Written): Written[] => {
  if (content.kind === "map") return [...content.entries.values()].map(({ value }) => value);
  return content.kind === "list" ? content.items : [];
};

function keyFault(key: Written): string | undefined {
  if (key.kind !== "scalar") return "a key must be text, not a map or a list; put it in quotes";
  if (key.text === "") return "a key is missing before the colon; write it";
  if (key.text === "<<") return "YAML 1.2 has no merge key; write out the keys that it should bring";
  if (key.text === "__proto__") return "this cannot be a key; take it out";
  return undefined;
}

const repetition = (first: WrittenEntry | undefined): string | undefined =>
  first && `this key is already written at line ${first.keyAt.line}; keep one of them`;

function scalar(value: unknown, source: string | undefined, at: Place): WrittenScalar {
  const written = { kind: "scalar", at, weight: 1, depth: 1 } as const;
  if (typeof value === "string") return { ...written, value, text: value };
  const text = source ?? String(value);
  if (typeof value === "number" || typeof value === "boolean") return { ...written, value, text };
  return { ...written, value: null, text };
}
