import { createInterface } from "node:readline/promises";
import { findKnownAgent } from "../../agents/registry.ts";
import { adapterOf } from "../../hall/adapter-settings.ts";
import type { SlotConfig } from "../../hall/roster.ts";
import { printable } from "../printable.ts";
import { UsageError } from "../usage.ts";
import type { OwnSlot } from "./foreground.ts";
import { isPossible, type LoginMethod } from "./method.ts";

/**
 * The login that is meant: the one that is named, the only one, or the one that whoever sits at the terminal says.
 * Throws a UsageError that lists them when none is meant, and what else to do when there is none.
 */
export async function chooseMethod(
  methods: readonly LoginMethod[],
  wanted: string | undefined,
  slot: OwnSlot,
): Promise<LoginMethod> {
  const possible = methods.filter(isPossible);
  if (wanted !== undefined) {
    const method = possible.find(({ id }) => id === wanted);
    if (method) return method;
    throw new UsageError(
      `Slot ${slot.name} has no login ${JSON.stringify(wanted)}.\n${listOf(possible, slot)}`,
    );
  }
  const [only, ...others] = possible;
  if (only === undefined) throw new Error(noLogin(methods, slot));
  if (others.length === 0) return only;
  if (!process.stdin.isTTY)
    throw new UsageError(
      `The agent of slot ${slot.name} has several logins; say which.\n${listOf(possible, slot)}`,
    );
  return askWhich(possible);
}

async function askWhich(methods: readonly LoginMethod[]): Promise<LoginMethod> {
  for (const [at, method] of methods.entries())
    process.stderr.write(printable(`  ${at + 1}  ${titleOf(method)}\n`));
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    for (;;) {
      const answer = await terminal.question(`Which one? (1 to ${methods.length}) `);
      const method = methods[Number(answer) - 1];
      if (method) return method;
    }
  } finally {
    terminal.close();
  }
}

const titleOf = ({ name, description }: LoginMethod): string =>
  description === undefined ? name : `${name}: ${description}`;

const listOf = (methods: readonly LoginMethod[], { name }: SlotConfig): string =>
  methods.length === 0
    ? "It has none that can be run here."
    : methods.map((method) => `  hall login ${name} --method ${method.id}   (${titleOf(method)})`).join("\n");

/** What else can be done. */
function noLogin(methods: readonly LoginMethod[], { name, run }: OwnSlot): string {
  const keys = run.kind === "agent" ? (findKnownAgent(run.id)?.keys ?? []) : adapterKeys(run);
  const key = keys[0] ?? "ITS_KEY";
  const none =
    methods.length === 0
      ? `The agent of slot ${name} tells of no login`
      : `The agent of slot ${name} takes a key (${methods.map(titleOf).join("; ")})`;
  return `${none}. If it needs one, give it a key: export ${key}=… where the hall starts, and env_inherit: [${key}] in the slot; or log in with its own program, as this user.`;
}

const adapterKeys = (run: OwnSlot["run"]): readonly string[] =>
  run.kind === "adapter" ? (adapterOf(run).variables ?? []) : [];
