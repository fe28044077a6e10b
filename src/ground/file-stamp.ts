import fs from "node:fs";

/** Which file is there, and as of when: the same as before, and nothing has changed. Links are followed. Never throws. */
export function fileStamp(file: string): string {
  try {
    const { dev, ino, size, mtimeMs, ctimeMs } = fs.statSync(file);
    return [dev, ino, size, mtimeMs, ctimeMs].join(" ");
  } catch {
    return "not there";
  }
}
