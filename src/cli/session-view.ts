import { type Fields, isFields } from "../acp/checks.ts";
import { listIn } from "./ask-hall.ts";
import { columns } from "./columns.ts";
import { moment } from "./moment.ts";

const TITLE_CHARACTERS = 40;

/** The list, for people. */
export function sessionList(report: Fields): string {
  const rows = listIn(report, "sessions");
  if (rows.length === 0) return "No session has had a turn yet.\n";
  const heads = ["SESSION", "SLOT", "STATE", "TURNS", "SIZE", "CHANGED", "TITLE"];
  const lines = columns([
    heads,
    ...rows.map((row) => [
      String(row.sessionId),
      String(row.slot),
      stateOf(row),
      String(row.turns),
      size(Number(row.bytes)),
      moment(row.updatedAt),
      titleOf(row),
    ]),
  ]);
  const more = Number(report.total) - rows.length;
  return `${[...lines, ...(more > 0 ? [`${more} more; --limit shows them.`] : [])].join("\n")}\n`;
}

/** One session, for people. */
export function sessionView(detail: Fields): string {
  const head = columns([
    ["session", String(detail.sessionId)],
    ["title", titleOf(detail)],
    ["slot", String(detail.slot)],
    ["cwd", String(detail.cwd)],
    ["state", stateOf(detail)],
    ["clients", String(detail.clients)],
    ["created", moment(detail.createdAt)],
    ["changed", moment(detail.updatedAt)],
    ["size", size(Number(detail.bytes))],
    ["journal", `${String(detail.file)} (${String(detail.journal)})`],
    ["agent", agentOf(detail)],
  ]);
  const turns = listIn(detail, "history").map((turn) => [
    String(turn.turn),
    moment(turn.acceptedAt),
    took(turn),
    endOf(turn),
  ]);
  const table = turns.length === 0 ? [] : ["", ...columns([["TURN", "ACCEPTED", "TOOK", "END"], ...turns])];
  return `${[...head, ...table].join("\n")}\n`;
}

function stateOf({ state, waiting }: Fields): string {
  const queue = Number(waiting) > 0 ? `, ${String(waiting)} waiting` : "";
  return `${String(state)}${queue}`;
}

function titleOf({ title }: Fields): string {
  const text = typeof title === "string" ? title : "";
  return text.length > TITLE_CHARACTERS ? `${text.slice(0, TITLE_CHARACTERS - 1)}…` : text;
}

function agentOf({ agent, agentSession, way }: Fields): string {
  if (typeof agentSession !== "string") return "none until the next prompt";
  const runs = agent === true ? "runs" : "does not run; the next prompt starts it";
  return `${agentSession} (${String(way)}), ${runs}`;
}

export function endOf({ stopReason, error, startedAt, endedAt }: Fields): string {
  if (typeof stopReason === "string") return stopReason;
  if (isFields(error)) return `error: ${String(error.message)}`;
  if (endedAt === null) return startedAt === null ? "waiting" : "running";
  return "";
}

export function took({ startedAt, endedAt }: Fields): string {
  if (typeof startedAt !== "string" || typeof endedAt !== "string") return "";
  return `${((Date.parse(endedAt) - Date.parse(startedAt)) / 1000).toFixed(1)} s`;
}

/** Bytes, as people read them; from 1 GiB on with a mark. */
function size(bytes: number): string {
  if (bytes >= 2 ** 30) return `${(bytes / 2 ** 30).toFixed(1)} GiB!`;
  if (bytes >= 2 ** 20) return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
  return bytes >= 2 ** 10 ? `${(bytes / 2 ** 10).toFixed(1)} KiB` : `${bytes} B`;
}
