import type { Path } from "./path.ts";

/** Line and column in the file, both from 1. */
export interface Place {
  line: number;
  column: number;
}

interface Measured {
  at: Place;
  /** How many values it holds, itself included, with every alias written out. */
  weight: number;
  /** How many maps and lists lie inside one another, itself included. */
  depth: number;
}

export interface WrittenScalar extends Measured {
  kind: "scalar";
  value: string | number | boolean | null;
  /** Its text in the file, without quotes. */
  text: string;
}

export interface WrittenList extends Measured {
  kind: "list";
  items: Written[];
}

export interface WrittenMap extends Measured {
  kind: "map";
  /** In the order of the file. */
  entries: Map<string, WrittenEntry>;
}

export interface WrittenEntry {
  keyAt: Place;
  value: Written;
}

/** What stands in the file, and where. Aliases make it a graph: a part may be reached by several paths. */
export type Written = WrittenScalar | WrittenList | WrittenMap;

/** What a path leads to: the value if it is written, and the key or else the nearest one around it. */
export interface Spot {
  keyAt: Place;
  value: Written | undefined;
}

export function spotOf(root: Written, path: Path): Spot {
  let spot: Spot = { keyAt: root.at, value: root };
  for (const step of path) {
    const { value } = spot;
    if (value?.kind === "map") {
      const entry = value.entries.get(String(step));
      spot = { keyAt: entry?.keyAt ?? spot.keyAt, value: entry?.value };
    } else if (value?.kind === "list") {
      const item = value.items[Number(step)];
      spot = { keyAt: item?.at ?? spot.keyAt, value: item };
    } else {
      return { keyAt: spot.keyAt, value: undefined };
    }
  }
  return spot;
}

/** What stands where nothing does. */
export const emptyScalar = (at: Place): WrittenScalar => ({
  kind: "scalar",
  value: null,
  text: "",
  at,
  weight: 1,
  depth: 1,
});
