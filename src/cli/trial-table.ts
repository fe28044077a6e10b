import type { Fields } from "../acp/checks.ts";
import type { Verdict } from "../trial/judgement.ts";
import { type Prompts, SENT } from "../trial/prompts.ts";
import type { Outcome } from "../trial/trial.ts";
import { columns } from "./columns.ts";
import type { Brush, Paint } from "./paint.ts";
import { printable } from "./printable.ts";

const MARKS: Readonly<Record<Verdict, string>> = { ok: "✓", deviates: "✗", noted: "!", "not tried": "-" };

/** What is about to happen, said before it does: prompts may cost money. */
export function announcement(slot: string, cwd: string, prompts: Prompts | undefined): string {
  const opening = `Trying slot ${slot}: its agent is started a few times, and works in ${cwd}.\n`;
  if (!prompts) return `${opening}No prompt is sent to it.\n\n`;
  const each = [
    [SENT.talk, prompts.talk],
    [SENT.long, prompts.long],
    [SENT.tool, prompts.tool],
  ] as const;
  const sum = each.reduce((all, [times]) => all + times, 0);
  return [
    `${opening}Up to ${sum} prompts are sent to it, which may cost money where a model is behind it (--no-prompt: none):`,
    ...each.map(([times, text]) => `  ${times} × ${text}`),
    "",
    "",
  ].join("\n");
}

/** What was tried, what the agent did, and below it what there is to know of each thing that is not as expected. */
export function trialTable(outcomes: readonly Outcome[], agent: Fields | null, paint: Paint): string {
  const brushes: Readonly<Record<Verdict, Brush>> = {
    ok: paint.green,
    deviates: paint.red,
    noted: paint.yellow,
    "not tried": paint.dim,
  };
  const tried = outcomes.filter(({ verdict }) => verdict !== "not tried");
  const rows = columns(tried.map(({ id, title, found }) => [id, title, printable(found)]));
  const wrong = outcomes.filter(({ advice }) => advice !== null);
  return [
    ...(agent === null
      ? []
      : [printable([agent.title ?? agent.name, agent.version].filter(Boolean).join(" ")), ""]),
    ...rows.map((row, at) => {
      const { verdict } = tried[at] ?? { verdict: "ok" };
      return `${brushes[verdict](MARKS[verdict])} ${row}`;
    }),
    ...untried(outcomes).map((line) => paint.dim(printable(line))),
    "",
    ...wrong.flatMap(({ id, verdict, found, expected, hall, advice }) => [
      `${brushes[verdict](MARKS[verdict])} ${paint.bold(id)}: ${printable(found)}`,
      `    expected  ${expected}`,
      `    the hall  ${hall ?? ""}`,
      `    to mend   ${advice ?? ""}`,
      "",
    ]),
    summary(outcomes),
    "",
  ].join("\n");
}

/** By reason: one that stands behind many is told once. */
function untried(outcomes: readonly Outcome[]): string[] {
  const byReason = new Map<string, string[]>();
  for (const { id, verdict, found } of outcomes) {
    if (verdict === "not tried") byReason.set(found, [...(byReason.get(found) ?? []), id]);
  }
  return [...byReason].map(
    ([reason, ids]) => `${MARKS["not tried"]} not tried, ${reason}: ${ids.join(", ")}`,
  );
}

function summary(outcomes: readonly Outcome[]): string {
  const number = (verdict: Verdict): number => outcomes.filter((one) => one.verdict === verdict).length;
  return [
    `${number("ok")} ok`,
    `${number("deviates")} ${number("deviates") === 1 ? "breaks" : "break"} the protocol (✗)`,
    `${number("noted")} worth knowing (!)`,
    `${number("not tried")} not tried (-)`,
  ].join(", ");
}
