import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

export const ROOT = join(import.meta.dirname, "..", "..");

/** A fenced block of a page. */
export interface Block {
  language: string;
  /** With its last newline. */
  text: string;
}

const FENCE = /^```(\w*)\n([\s\S]*?)^```$/gm;

/** One page of the documentation. */
export class Page {
  /** From the root, as `docs/roster.md`. */
  readonly name: string;
  readonly text: string;

  constructor(name: string) {
    this.name = name;
    this.text = readFileSync(join(ROOT, name), "utf8");
  }

  /** Absolute. */
  get file(): string {
    return join(ROOT, this.name);
  }

  get blocks(): Block[] {
    return blocksOf(this.text);
  }

  /** The blocks before the first heading of second order: what the page begins with. */
  get example(): Block[] {
    return blocksOf(this.text.split(/^## /m)[0] ?? "");
  }

  /** Without its blocks. */
  get prose(): string {
    return this.text.replaceAll(FENCE, "");
  }

  /** What stands under a heading of second order, up to the next; empty when there is none. */
  section(heading: string): string {
    const parts = this.text.split(/^## /m).slice(1);
    return parts.find((part) => part.startsWith(`${heading}\n`))?.slice(heading.length) ?? "";
  }

  /** Headings as links name them. */
  get anchors(): string[] {
    const headings = this.prose.matchAll(/^#+ (.+)$/gm);
    return [...headings].map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-"),
    );
  }
}

const blocksOf = (text: string): Block[] =>
  [...text.matchAll(FENCE)].map(([, language = "", inside = ""]) => ({ language, text: inside }));

/** All pages, those of `docs` and those beside the README. */
export function allPages(): Page[] {
  const docs = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" });
  return ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", ...docs.map((file) => join("docs", file))]
    .filter((name) => name.endsWith(".md"))
    .map((name) => new Page(relative(ROOT, join(ROOT, name))));
}
