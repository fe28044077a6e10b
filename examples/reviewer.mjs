// Reads files through the client, so with what is not saved yet, and asks before it writes down what it found.
import { defineAgent } from "acp-hall/agent";

const REMARKS = [
  { pattern: /\bTODO\b/, says: "something is still to do" },
  { pattern: /\bconsole\.log\(/, says: "prints to the console" },
  { pattern: /\s+$/, says: "blanks at the end" },
];

export default defineAgent({
  name: "reviewer",
  title: "Reviewer",
  async prompt(turn) {
    const paths = pathsIn(turn);
    if (paths.length === 0)
      return void (await turn.say("Name the files that I should look at, or attach them."));
    await turn.plan(paths.map((path) => ({ content: `Review ${path}`, status: "in_progress" })));
    const found = [];
    for (const path of paths) found.push(...(await review(turn, path)));
    await turn.say(
      found.length === 0 ? "Nothing to remark." : found.map((remark) => `- ${remark}\n`).join(""),
    );
    if (found.length > 0 && (await turn.ask({ title: "Write REVIEW.md", kind: "edit" }))) {
      await turn.writeFile("REVIEW.md", `${found.join("\n")}\n`);
    }
  },
});

/** Files that were attached, and words of the prompt that look like one. */
function pathsIn({ blocks, text }) {
  const links = blocks
    .filter(({ type }) => type === "resource_link")
    .map(({ uri }) => uri.replace(/^file:\/\//, ""));
  return links.length > 0 ? links : (text.match(/\S+\.\w+/g) ?? []);
}

async function review(turn, path) {
  const call = turn.tool({ title: `Read ${path}`, kind: "read", input: { path } });
  call.runs();
  try {
    const lines = (await turn.readFile(path)).split("\n");
    call.done(`${lines.length} lines`);
    return lines.flatMap((line, at) =>
      REMARKS.filter(({ pattern }) => pattern.test(line)).map(({ says }) => `${path}:${at + 1}: ${says}`),
    );
  } catch (error) {
    if (turn.signal.aborted) throw error;
    call.failed(error.message);
    return [`${path}: cannot be read`];
  }
}
