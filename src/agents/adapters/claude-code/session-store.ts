import { open, readdir, readFile, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { type Fields, isFields } from "../../../acp/checks.ts";
import { codeOf } from "../../../ground/thrown.ts";
import type { AdapterSettings } from "../adapter.ts";
import { fieldsIn, objectIn, textOf, wordsOf } from "../native-line.ts";
import type { Opening } from "../opening.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** Of a session's file, what is read for a list: its beginning and its end. */
const GLANCE_BYTES = 64 * 1024;
const PAGE = 50;
const TITLE_CHARACTERS = 80;

/** Where Claude Code keeps the sessions of all folders. */
function projects({ environment }: AdapterSettings): string {
  const folder = environment.CLAUDE_CONFIG_DIR ?? path.join(environment.HOME ?? "", ".claude");
  return path.join(folder, "projects");
}

/** The name of the folder of one working folder's sessions: its path, with a dash for all but letters and digits. */
async function projectOf(cwd: string, settings: AdapterSettings): Promise<string> {
  const real = await realpath(cwd).catch(() => cwd);
  return path.join(projects(settings), real.replaceAll(/[^a-zA-Z0-9]/g, "-"));
}

/** The lines of a session, oldest first; undefined: there is none of that id in this folder. */
export async function linesOfSession(
  opening: Opening,
  settings: AdapterSettings,
): Promise<string[] | undefined> {
  if (!UUID.test(opening.id)) return undefined;
  const file = path.join(await projectOf(opening.cwd, settings), `${opening.id}.jsonl`);
  try {
    return (await readFile(file, "utf8")).split("\n").filter((line) => line !== "");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

interface Found {
  file: string;
  changed: Date;
}

/** `session/list`: the newest first, of one folder or of all. */
export async function listSessions({ cwd, cursor }: Fields, settings: AdapterSettings): Promise<Fields> {
  const folders =
    typeof cwd === "string"
      ? [await projectOf(cwd, settings)]
      : (await entries(projects(settings))).map((name) => path.join(projects(settings), name));
  const found = (await Promise.all(folders.map(sessionsIn))).flat();
  found.sort((one, other) => other.changed.getTime() - one.changed.getTime());
  const from = typeof cursor === "string" && /^\d+$/.test(cursor) ? Number(cursor) : 0;
  const page = await Promise.all(found.slice(from, from + PAGE).map(glance));
  const rest = found.length > from + PAGE ? { nextCursor: String(from + PAGE) } : {};
  return { sessions: page.filter((session) => session !== undefined), ...rest };
}

async function sessionsIn(folder: string): Promise<Found[]> {
  const names = (await entries(folder)).filter((name) => UUID.test(name.replace(/\.jsonl$/, "")));
  const found = await Promise.all(
    names.map(async (name) => {
      const file = path.join(folder, name);
      const about = await stat(file).catch(() => undefined);
      return about?.isFile() && about.size > 0 ? [{ file, changed: about.mtime }] : [];
    }),
  );
  return found.flat();
}

const entries = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);

/** What a list shows of a session; undefined for a subagent's, and for one in which nobody said anything. */
async function glance({ file, changed }: Found): Promise<Fields | undefined> {
  const lines = await someLines(file);
  if (lines[0]?.isSidechain === true) return undefined;
  const cwd = lines.map((line) => wordsOf(line, "cwd")).find((found) => found !== undefined);
  const named = lines.findLast(
    (line) => (wordsOf(line, "customTitle") ?? wordsOf(line, "summary")) !== undefined,
  );
  const title = (named && (wordsOf(named, "customTitle") ?? wordsOf(named, "summary"))) ?? firstPrompt(lines);
  if (cwd === undefined || title === undefined) return undefined;
  const sessionId = path.basename(file, ".jsonl");
  return {
    sessionId,
    cwd,
    title: title.split("\n")[0]?.slice(0, TITLE_CHARACTERS),
    updatedAt: changed.toISOString(),
  };
}

async function someLines(file: string): Promise<Fields[]> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    const read = async (at: number, length: number): Promise<string> => {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, at);
      return buffer.toString("utf8", 0, bytesRead);
    };
    const head = await read(0, Math.min(size, GLANCE_BYTES));
    const tail =
      size > GLANCE_BYTES ? await read(Math.max(GLANCE_BYTES, size - GLANCE_BYTES), GLANCE_BYTES) : "";
    // A line that was cut is no JSON, and says nothing.
    return `${head}\n${tail}`
      .split("\n")
      .map(objectIn)
      .filter((line) => line !== undefined);
  } finally {
    await handle.close();
  }
}

function firstPrompt(lines: readonly Fields[]): string | undefined {
  for (const line of lines) {
    if (line.type !== "user" || line.isMeta === true || line.isCompactSummary === true) continue;
    const { content } = fieldsIn(line, "message");
    const blocks = Array.isArray(content) ? content.filter(isFields) : [];
    const block = blocks.find((part) => part.type === "text") ?? {};
    const text = typeof content === "string" ? content : textOf(block, "text");
    if (text !== "" && !text.startsWith("<") && !text.startsWith("[Request interrupted")) return text;
  }
  return undefined;
}
