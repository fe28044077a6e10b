import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ProcFolder } from "../../src/agents/proc-folder.ts";

export interface FakeProcess {
  pid: number;
  name?: string;
  state?: string;
  parent?: number;
  group?: number;
  session?: number;
  threads?: number;
  /** Ticks since the boot. */
  start?: number;
  environment?: string[];
  words?: string[];
}

/** A folder that looks like /proc, with the processes that a test wants. */
export class FakeProc {
  readonly root = mkdtempSync(join(tmpdir(), "hall-proc-"));

  constructor(boot = "boot-1") {
    const random = join(this.root, "sys", "kernel", "random");
    mkdirSync(random, { recursive: true });
    writeFileSync(join(random, "boot_id"), `${boot}\n`);
  }

  table(): ProcFolder {
    return new ProcFolder(this.root);
  }

  add(process: FakeProcess): void {
    const { pid, name = "sh", state = "S", parent = 1, group = pid, session = group } = process;
    const { threads = 1, start = 1, environment = [], words = [name] } = process;
    const folder = join(this.root, String(pid));
    mkdirSync(folder, { recursive: true });
    const between = Array.from({ length: 13 }, () => "0").join(" ");
    const stat = `${pid} (${name}) ${state} ${parent} ${group} ${session} ${between} ${threads} 0 ${start} 0 0\n`;
    writeFileSync(join(folder, "stat"), stat);
    writeFileSync(join(folder, "environ"), environment.map((word) => `${word}\0`).join(""));
    writeFileSync(join(folder, "cmdline"), words.map((word) => `${word}\0`).join(""));
  }

  end(pid: number): void {
    rmSync(join(this.root, String(pid)), { recursive: true, force: true });
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
