import type { Fields } from "../acp/checks.ts";

const REASONS: Readonly<Record<string, string>> = {
  session: "for its session",
  slot: "for its slot",
  agent: "for its agent",
};

/** Which of its session's a waiting turn is, and what it waits for; empty when it does not wait. */
export function queueStanding({ position, waitsFor }: Fields): string {
  if (typeof position !== "number") return "";
  return `${position}, ${REASONS[String(waitsFor)] ?? String(waitsFor)}`;
}
