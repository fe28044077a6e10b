import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { temporaryFolder } from "./temporary-folder.ts";

const SSHD = "/usr/sbin/sshd";
/** Where sshd, as root, shuts in the part of it that speaks before a login. */
const EMPTY_FOLDER = "/run/sshd";

/** What a test of ssh needs and a machine may lack. */
export const hasSshServer = existsSync(SSHD);

/** A real sshd on a port of loopback, with keys and a config of its own; it ends with the test. */
export class SshServer {
  readonly #folder: string;
  readonly #port: number;

  static async start(): Promise<SshServer> {
    const server = new SshServer(temporaryFolder(), await freePort());
    await server.#start();
    return server;
  }

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.#port = port;
    for (const key of ["host", "client"]) {
      execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", join(folder, key)]);
    }
    const hostKey = readFileSync(join(folder, "host.pub"), "utf8");
    writeFileSync(join(folder, "known"), `[127.0.0.1]:${port} ${hostKey}`);
    writeFileSync(join(folder, "authorized"), readFileSync(join(folder, "client.pub")), { mode: 0o600 });
    writeFileSync(
      join(folder, "sshd_config"),
      [
        `Port ${port}`,
        "ListenAddress 127.0.0.1",
        `HostKey ${join(folder, "host")}`,
        `AuthorizedKeysFile ${join(folder, "authorized")}`,
        "StrictModes no",
        "UsePAM no",
        "PidFile none",
        "PasswordAuthentication no",
      ].join("\n"),
    );
  }

  /** As a roster's `launch` has it. */
  get launch(): string[] {
    const options = ["BatchMode=yes", `UserKnownHostsFile=${join(this.#folder, "known")}`];
    const set = options.flatMap((option) => ["-o", option]);
    return [
      "ssh",
      "-F",
      "none",
      "-i",
      join(this.#folder, "client"),
      ...set,
      "-p",
      `${this.#port}`,
      "127.0.0.1",
    ];
  }

  async #start(): Promise<void> {
    if (process.getuid?.() === 0) mkdirSync(EMPTY_FOLDER, { recursive: true, mode: 0o755 });
    const sshd: ChildProcess = spawn(SSHD, ["-D", "-e", "-f", join(this.#folder, "sshd_config")], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    const gone = new Promise<void>((resolve) => sshd.once("exit", () => resolve()));
    onTestFinished(async () => {
      sshd.kill("SIGTERM");
      await gone;
    });
    let said = "";
    await new Promise<void>((resolve, reject) => {
      sshd.once("exit", () => reject(new Error(`sshd ended: ${said}`)));
      sshd.stderr?.setEncoding("utf8").on("data", (text: string) => {
        said += text;
        if (said.includes("Server listening")) resolve();
      });
    });
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  if (address === null || typeof address === "string") throw new Error("a port without a number");
  return address.port;
}
