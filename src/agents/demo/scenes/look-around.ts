import { type FolderListing, listFolder } from "../folder-listing.ts";
import type { Turn } from "../turn.ts";

/** Names that are shown of a folder. */
const SHOWN = 12;

/** Asks, then really lists the session's folder; tells what came of it, a refusal too. */
export async function lookAround(turn: Turn): Promise<void> {
  const { cwd } = turn;
  const call = turn.tool({ title: `List ${cwd}`, kind: "read", input: { path: cwd }, paths: [cwd] });
  await turn.rest(4);
  if (!(await turn.mayUse(call))) {
    call.failed("Not allowed, so not done.");
    await turn.say(
      "That was a no, so I did not look. The turn goes on: a no is an answer like any other.\n\n",
    );
    return;
  }
  call.runs();
  await turn.rest(6);
  const found = await turn.during(listFolder(cwd));
  if ("problem" in found) {
    call.failed(found.problem);
    await turn.say(`That did not work. ${found.problem}\n\n`);
    return;
  }
  call.done(asText(found), { entries: found.names, isPartial: found.isPartial });
  await turn.say(`${inWords(found)}\n\n`);
}

function asText({ names, isPartial }: FolderListing): string {
  if (names.length === 0) return "(empty)";
  const more = names.length - SHOWN;
  const rest = more > 0 ? [`… and ${isPartial ? "at least " : ""}${more} more`] : [];
  return [...names.slice(0, SHOWN), ...rest].join("\n");
}

function inWords({ names, folders, isPartial }: FolderListing): string {
  if (names.length === 0) return "I really looked: your folder is empty.";
  const files = names.length - folders;
  const least = isPartial ? "at least " : "";
  return `I really looked: your folder holds ${least}${count(folders, "folder")} and ${count(files, "file")}.`;
}

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;
