import path from "node:path";
import { type Fields, isFields } from "../acp/checks.ts";
import type { Disk } from "../ground/disk.ts";
import { parsed } from "../ground/json.ts";

/** What a slot's agent answered to `initialize` when it last ran. */
export interface Lesson {
  agentCapabilities: Fields;
  authMethods: Fields[];
  /** How it was started then: another command has other abilities. */
  launch: string;
}

/** What the hall learned of its slots' agents: kept in the state directory, so that an editor need not wait. */
export class Learned {
  readonly #disk: Disk;
  readonly #file: string;
  readonly #lessons: Map<string, Lesson>;

  constructor(disk: Disk, folder: string) {
    this.#disk = disk;
    this.#file = path.join(folder, "learned.json");
    this.#lessons = readLessons(disk.read(this.#file));
  }

  of(slot: string, launch: string): Lesson | undefined {
    const lesson = this.#lessons.get(slot);
    return lesson?.launch === launch ? lesson : undefined;
  }

  /** Throws the disk's error when it cannot be kept; it is known until the hall stops all the same. */
  learn(slot: string, initialized: Fields, launch: string): void {
    const { agentCapabilities, authMethods } = initialized;
    const lesson: Lesson = {
      agentCapabilities: isFields(agentCapabilities) ? agentCapabilities : {},
      authMethods: Array.isArray(authMethods) ? authMethods.filter(isFields) : [],
      launch,
    };
    const news = JSON.stringify(this.#lessons.get(slot)) !== JSON.stringify(lesson);
    this.#lessons.set(slot, lesson);
    if (news) this.#disk.replace(this.#file, JSON.stringify(Object.fromEntries(this.#lessons)));
  }
}

function readLessons(bytes: Buffer | undefined): Map<string, Lesson> {
  const lessons = new Map<string, Lesson>();
  if (!bytes) return lessons;
  // One that cannot be read is only what can be learned again.
  const kept = parsed(bytes.toString("utf8"));
  for (const [slot, lesson] of Object.entries(isFields(kept) ? kept : {})) {
    if (!isFields(lesson) || !isFields(lesson.agentCapabilities) || typeof lesson.launch !== "string")
      continue;
    const authMethods = Array.isArray(lesson.authMethods) ? lesson.authMethods.filter(isFields) : [];
    lessons.set(slot, { agentCapabilities: lesson.agentCapabilities, authMethods, launch: lesson.launch });
  }
  return lessons;
}
