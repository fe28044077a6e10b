import { opendir } from "node:fs/promises";
import { codeOf } from "../../ground/thrown.ts";

/** Entries that are looked at; a folder may hold any number. */
const LOOKED_AT = 1000;

export interface FolderListing {
  /** Names, folders first, each with a `/` behind it. */
  names: string[];
  folders: number;
  /** There are more entries than were looked at. */
  isPartial: boolean;
}

/** What stands in a folder, or one sentence on why that cannot be told. */
export async function listFolder(path: string): Promise<FolderListing | { problem: string }> {
  const folders: string[] = [];
  const others: string[] = [];
  try {
    for await (const entry of await opendir(path)) {
      if (folders.length + others.length === LOOKED_AT) return listing(folders, others, true);
      if (entry.isDirectory()) folders.push(`${entry.name}/`);
      else others.push(entry.name);
    }
  } catch (error) {
    return { problem: `The folder ${path} cannot be listed: ${reasonOf(error)}.` };
  }
  return listing(folders, others, false);
}

function listing(folders: string[], others: string[], isPartial: boolean): FolderListing {
  return { names: [...folders.sort(), ...others.sort()], folders: folders.length, isPartial };
}

const reasonOf = (error: unknown): string => {
  const code = codeOf(error);
  if (code === "ENOENT") return "it is not there";
  if (code === "EACCES") return "that is not allowed";
  if (code === "ENOTDIR") return "it is no folder";
  return code ?? String(error);
};
