import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileOf, type Pinned } from "../install.ts";

/** A client for the command line; it starts its agent itself, so it gets a hall by `hall acp`. */
export const ACPX: Pinned = { name: "acpx", version: "0.19.1" };

/** One prompt in a session of its own, by `acpx exec`. */
export interface Exec {
  /** The command of its agent. */
  readonly agent: readonly string[];
  readonly cwd: string;
  readonly home: string;
  /** What it does when it is asked. */
  readonly permissions: "--approve-all" | "--deny-all";
  readonly prompt: string;
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export async function acpxExec({ agent, cwd, home, permissions, prompt }: Exec): Promise<Ended> {
  const options = [permissions, "--cwd", cwd, "--agent", agent.join(" ")];
  const acpx = spawn(process.execPath, [fileOf(ACPX, "dist", "cli.js"), ...options, "exec", prompt], {
    cwd,
    env: { PATH: process.env.PATH, HOME: home },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  acpx.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  acpx.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const [code] = await once(acpx, "close");
  return { code, stdout, stderr };
}
