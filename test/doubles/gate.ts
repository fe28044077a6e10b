import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "./eventually.ts";
import type { Step } from "./scripted-agent/script.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Holds a scripted turn at a point until the test lets it go: by an event, never by time. */
export interface Gate {
  /** The step that says that the turn got here, and waits. */
  wait: Step;
  /** Resolves when a turn waits here. */
  reached(): Promise<void>;
  open(): void;
  /** The file whose being there opens it. */
  path: string;
}

export function gate(): Gate {
  const folder = temporaryFolder();
  const [here, path] = [join(folder, "here"), join(folder, "go")];
  return {
    wait: { together: [[{ touch: here }, { sleepUntilFile: path }]] },
    reached: () => eventually(() => existsSync(here)).toBe(true),
    open: () => writeFileSync(path, ""),
    path,
  };
}
