import { join } from "node:path";
import type { Disk } from "../../ground/disk.ts";
import { parsed } from "../../ground/json.ts";
import { isSessionId } from "./session-id.ts";

/** What sessions remember. */
export interface Memory {
  /** What is remembered outlives the process. */
  readonly isLasting: boolean;
  read(sessionId: string): unknown;
  write(sessionId: string, value: unknown): void;
  forget(sessionId: string): void;
}

/** As long as the process. */
export function shortMemory(): Memory {
  const values = new Map<string, string>();
  return {
    isLasting: false,
    read: (id) => parsed(values.get(id) ?? ""),
    write: (id, value) => void values.set(id, JSON.stringify(value)),
    forget: (id) => void values.delete(id),
  };
}

/** A file a session in a folder, readable by its owner alone. */
export function lastingMemory(folder: string, disk: Disk): Memory {
  const fileOf = (id: string): string | undefined =>
    isSessionId(id) ? join(folder, `${id}.json`) : undefined;
  return {
    isLasting: true,
    read(id) {
      const file = fileOf(id);
      return file === undefined ? undefined : parsed(disk.read(file)?.toString() ?? "");
    },
    write(id, value) {
      const file = fileOf(id);
      if (file === undefined) throw new Error(`A session with the id ${JSON.stringify(id)} cannot be kept.`);
      disk.makeFolder(folder);
      disk.replace(file, JSON.stringify(value));
    },
    forget(id) {
      const file = fileOf(id);
      if (file !== undefined) disk.remove(file);
    },
  };
}
