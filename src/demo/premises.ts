import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder of its own for a hall that is to leave nothing behind: roster, state, and where it writes its addresses. */
export class Premises {
  readonly folder = mkdtempSync(join(tmpdir(), "hall-demo-"));
  readonly roster = join(this.folder, "hall.yml");
  readonly addresses = join(this.folder, "addresses.json");

  /** `pace`: ms a word, for the agent. */
  constructor(pace: number) {
    writeFileSync(this.roster, roster(pace), { mode: 0o600 });
  }

  /** The environment of the hall: apart from the halls that this user may have, and from what was set for them. */
  environment(host: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
    const passed = Object.entries(host).filter(([name]) => !name.startsWith("HALL_"));
    return { ...Object.fromEntries(passed), XDG_RUNTIME_DIR: join(this.folder, "run") };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const roster = (pace: number): string => `listen:
  tcp: 127.0.0.1:0
state: ./state
slots:
  demo:
    demo: true
    args: ["--pace", "${pace}"]
log:
  format: pretty
`;
