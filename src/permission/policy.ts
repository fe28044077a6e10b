import path from "node:path";
import { isToolKind } from "../acp/tool-kinds.ts";
import { partsOfCall } from "./call-parts.ts";
import { canonicalPath } from "./canonical-path.ts";
import { NO_SHELL, type Shell } from "./command-reader.ts";
import { Glob } from "./glob.ts";
import type { Part, Subject } from "./part.ts";
import { fitsHead, type Pattern } from "./pattern.ts";
import type { Effect, Rule } from "./rule.ts";
import type { ToolCall } from "./tool-call.ts";

/** What the rules say of a call. */
export interface Verdict {
  readonly decision: Effect;
  /** The rule that decides; undefined: none does, and it is asked. */
  readonly rule: Rule | undefined;
  /** A sentence for people. */
  readonly why: string;
}

/** The rules may be about what stands within the call's command: that has to be taken apart. */
export const needsShell = (call: ToolCall, rules: readonly Rule[]): boolean =>
  call.command !== undefined &&
  rules.some(({ patterns }) =>
    patterns.some(({ head, glob }) => glob !== undefined || head === "read" || head === "edit"),
  );

/**
 * Holds a call against rules, in their order. A deny or an ask decides as soon as it is, or may be, about any part of
 * the call; a deny that only may be is asked. An allow ticks the parts that it surely covers, and decides when
 * all are ticked. Throws where `needsShell` says that one is needed, and there is none.
 */
export function decide(
  call: ToolCall,
  rules: readonly Rule[],
  cwd: string,
  shell: Shell = NO_SHELL,
): Verdict {
  const isClosed = call.command !== undefined && !needsShell(call, rules);
  const parts = isClosed ? [] : partsOfCall(call, cwd, shell);
  const open = new Set(parts.filter(({ counts }) => counts));
  for (const rule of rules) {
    const fits = rule.patterns.map((pattern) => new Fit(pattern, call, cwd));
    const verdict = rule.effect === "allow" ? allows(rule, fits, open, parts) : stops(rule, fits, parts);
    if (verdict) return verdict;
  }
  const [first] = open;
  const what = first && parts.length > 1 ? `: none allows ${first.shown}` : "";
  return { decision: "ask", rule: undefined, why: `No rule decides this${what}.` };
}

function allows(
  rule: Rule,
  fits: readonly Fit[],
  open: Set<Part>,
  parts: readonly Part[],
): Verdict | undefined {
  if (fits.some((fit) => fit.isWhole)) return { decision: "allow", rule, why: `${rule.text} allows it.` };
  const before = open.size;
  for (const part of [...open]) if (fits.some((fit) => fit.covers(part))) open.delete(part);
  if (before === 0 || open.size > 0) return undefined;
  const what = parts.length > 1 ? "it, the last of its parts" : "it";
  return { decision: "allow", rule, why: `${rule.text} allows ${what}.` };
}

function stops(rule: Rule, fits: readonly Fit[], parts: readonly Part[]): Verdict | undefined {
  const { effect, text } = rule;
  const says = effect === "deny" ? "denies" : "wants to be asked about";
  if (fits.some((fit) => fit.isWhole)) return { decision: effect, rule, why: `${text} ${says} it.` };
  const hit = parts.find((part) => fits.some((fit) => fit.hits(part)));
  if (hit) return { decision: effect, rule, why: `${text} ${says} ${hit.shown}.` };
  const doubt = parts.find((part) => fits.some((fit) => fit.mayHit(part)));
  if (!doubt) return undefined;
  return {
    decision: "ask",
    rule,
    why: `${text} may be about ${doubt.shown}, which cannot be told before it runs.`,
  };
}

/** One pattern, held against one call and its parts. */
class Fit {
  readonly #pattern: Pattern;
  readonly #isHead: boolean;
  readonly #isCommand: boolean;
  readonly #globs: readonly Glob[];
  readonly #placeGlobs: readonly Glob[];

  constructor(pattern: Pattern, call: ToolCall, cwd: string) {
    this.#pattern = pattern;
    this.#isHead = fitsHead(pattern, call.kind, call.tool);
    this.#isCommand = call.command !== undefined;
    this.#globs = pattern.glob ? [pattern.glob] : [];
    this.#placeGlobs = pattern.glob ? placeGlobs(pattern.glob, cwd) : [];
  }

  /** It is about every such call, whatever that is about. */
  get isWhole(): boolean {
    return this.#isHead && this.#pattern.glob === undefined;
  }

  /** Surely, and all of the part. */
  covers({ own, file }: Part): boolean {
    if (this.#isHead && own && this.#matches(own)) return true;
    return file !== undefined && this.#isAbout(file.kind) && this.#isOneOf(file.subject);
  }

  /** Surely, by whatever name. */
  hits(part: Part): boolean {
    return this.covers(part) || (this.#isHead && part.aliases.some((alias) => this.#matches(alias)));
  }

  /** For all that is known. */
  mayHit({ own, aliases, file }: Part): boolean {
    const may = ({ text, isPath }: Subject): boolean =>
      (isPath ? this.#placeGlobs : this.#globs).some((glob) => glob.mayMatch(text));
    if (file && this.#isAbout(file.kind) && (this.#pattern.glob === undefined || may(file.subject)))
      return true;
    // What cannot be told of a command may be a redirection, too.
    const mayRedirect = this.#isCommand && (this.#isAbout("read") || this.#isAbout("edit"));
    if (own === undefined) return this.#isHead || mayRedirect;
    return this.#isHead && (may(own) || aliases.some(may));
  }

  /** A redirection is what a tool of this kind does. A tool's name means no redirection. */
  #isAbout(kind: "read" | "edit"): boolean {
    return isToolKind(this.#pattern.head) && this.#pattern.head === kind;
  }

  #isOneOf(subject: Subject): boolean {
    return this.#pattern.glob === undefined || this.#matches(subject);
  }

  #matches({ text, isPath }: Subject): boolean {
    return (isPath ? this.#placeGlobs : this.#globs).some((glob) => glob.covers(text));
  }
}

/**
 * A pattern for paths: relative, it means the session's folder; and what stands before its first asterisk means
 * where that leads, too.
 */
function placeGlobs({ source }: Glob, cwd: string): Glob[] {
  const isAnywhere = source.startsWith("/") || source.startsWith("*");
  const absolute = isAnywhere ? source : `${cwd}/${source}`;
  const fixed = absolute.split("*")[0] ?? "";
  const folder = fixed.slice(0, fixed.lastIndexOf("/") + 1);
  const canonical = folder === "" ? undefined : canonicalPath(path.resolve(folder));
  if (canonical === undefined) return [new Glob(absolute)];
  const behind = absolute.slice(folder.length);
  const led = `${canonical === "/" ? "" : canonical}/${behind}`;
  return led === absolute ? [new Glob(absolute)] : [new Glob(absolute), new Glob(led)];
}
