import { accessSync, closeSync, constants, openSync, readSync, realpathSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { codeOf } from "../ground/thrown.ts";

/** Where a program is looked for when the environment has no PATH: what most shells fall back to. */
const USUAL_PATH = "/usr/local/bin:/usr/bin:/bin";

/** The program's file, or one sentence on why it cannot be started and what to do. */
export type Found = { file: string } | { problem: string };

/**
 * Finds a program as the system would, before anything is spawned: the system's own answer ("ENOENT") is the same
 * for a missing program, a missing interpreter and a missing folder.
 *
 * @param program a path from the root, or a bare name to be looked for on `path`
 * @param path the PATH that the child will have
 */
export function findProgram(program: string, path: string | undefined): Found {
  if (program === "") return { problem: "The command is empty; write a program into it." };
  if (isAbsolute(program)) return checkFile(program) ?? { file: program };
  if (program.includes("/")) {
    const told = JSON.stringify(program);
    return { problem: `The program ${told} is a relative path; write it from the root, or a name on PATH.` };
  }
  const folders = foldersOn(path);
  const file = programIn(folders, program);
  if (file) return checkFile(file) ?? { file };
  // One that is there but cannot be started says more than "not found".
  const first = folders.map((folder) => join(folder, program)).find(isFile);
  const problem = first === undefined ? undefined : checkFile(first);
  if (problem) return problem;
  const told = `${JSON.stringify(program)} on PATH (${folders.join(delimiter)})`;
  return { problem: `There is no program ${told}; install it, or write its full path.` };
}

/**
 * The folders of a PATH. An entry that is relative, or empty, means "wherever the child stands", a folder that a
 * client chose: it is left out.
 */
export const foldersOn = (path: string | undefined): string[] =>
  (path || USUAL_PATH).split(delimiter).filter(isAbsolute);

/** The first program of that name that can be started. */
export const programIn = (folders: readonly string[], name: string): string | undefined =>
  folders.map((folder) => join(folder, name)).find(isProgram);

/** Whether the program belongs to an installed npm package: links lead into the package's own folder. */
export function belongsToPackage(file: string, packageName: string): boolean {
  return realpathSync(file).includes(`/node_modules/${packageName}/`);
}

const isFile = (file: string): boolean => {
  try {
    return statSync(file).isFile();
  } catch {
    // Not there, or behind a folder that we may not enter: for us it is not there.
    return false;
  }
};

const isProgram = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK);
    return isFile(file);
  } catch {
    return false;
  }
};

function checkFile(file: string): { problem: string } | undefined {
  const told = JSON.stringify(file);
  let stats: ReturnType<typeof statSync>;
  try {
    stats = statSync(file);
  } catch (error) {
    return {
      problem: `There is no program ${told} (${codeOf(error) ?? String(error)}); install it, or correct the path.`,
    };
  }
  if (stats.isDirectory()) return { problem: `${told} is a folder, not a program; name the program in it.` };
  if (!isProgram(file)) return { problem: `The program ${told} is not executable; run chmod +x on it.` };
  return checkFirstLine(file, told);
}

/** Enough for the longest first line that Linux reads. */
const HEAD_BYTES = 256;

/** A script says on its first line who runs it. Without one, some systems try a shell, and some refuse. */
function checkFirstLine(file: string, told: string): { problem: string } | undefined {
  const head = headOf(file);
  // A file that we may run but not read: the system will tell.
  if (head === undefined || head.includes(0)) return undefined;
  const [, interpreter, end] = /^#![ \t]*([^ \t\r\n]+)[^\r\n]*(\r?)/.exec(head.toString("utf8")) ?? [];
  if (interpreter === undefined) {
    return {
      problem: `The script ${told} has no first line that names its interpreter; add one (#!/bin/sh).`,
    };
  }
  if (end) return { problem: `The script ${told} ends its first line as Windows does; take the CR out.` };
  if (isFile(interpreter)) return undefined;
  const missing = JSON.stringify(interpreter);
  return {
    problem: `The script ${told} wants ${missing}, which does not exist; install it, or correct the script.`,
  };
}

function headOf(file: string): Buffer | undefined {
  const head = Buffer.alloc(HEAD_BYTES);
  let open: number | undefined;
  try {
    open = openSync(file, "r");
    return head.subarray(0, readSync(open, head, 0, HEAD_BYTES, 0));
  } catch {
    return undefined;
  } finally {
    if (open !== undefined) closeSync(open);
  }
}
