import { type ExecFileSyncOptionsWithStringEncoding, execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { AcpClient } from "../doubles/acp-client.ts";
import { eventually } from "../doubles/eventually.ts";
import { hasSshServer, SshServer } from "../doubles/ssh-server.ts";
import { startHall } from "../doubles/start-hall.ts";
import { temporaryFolder } from "../doubles/temporary-folder.ts";

const ROOT = resolve(import.meta.dirname, "..", "..");
const SECRET = "hush 'it is' a $ecret";

/** What an agent ignores that only SIGKILL ends. */
const STUBBORN = { ignoreCancel: true, ignoreEof: true, ignoreSigint: true, ignoreSigterm: true };

/** What the agent of a session said of itself. */
async function fact(client: AcpClient, sessionId: string, name: "pid" | "cwd"): Promise<string> {
  const since = client.received.length;
  await client.prompt(sessionId, [{ tell: name }]);
  return client.texts(sessionId, since).replace(`${name}: `, "");
}

const file = (pid: string | number, name: "environ" | "cmdline"): string[] => {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8").split("\0");
  } catch {
    // It ended meanwhile.
    return [];
  }
};

const commandLines = (): string[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => file(pid, "cmdline").join(" "));

const isRunning = (pid: string): boolean => file(pid, "cmdline").join("") !== "";

describe("a slot with a launcher", () => {
  it("that stays on this machine runs as any other, behind it", async () => {
    const env = { VALUE: "set" };
    const hall = await startHall({ slots: { nice: { ways: {}, env, launch: ["nice", "-n", "3"] } } });
    const client = await hall.connect();
    const sessionId = await client.begin();
    expect(await fact(client, sessionId, "cwd")).toBe(hall.work);
    const pid = await fact(client, sessionId, "pid");
    expect(file(pid, "environ")).toContain("VALUE=set");
    expect(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ")[16]).toBe("3");
  });

  it.skipIf(!hasSshServer)(
    "that is ssh runs there: its folder, its environment by no command line, its turns, and an end that leaves nothing",
    async () => {
      const server = await SshServer.start();
      const pidFile = join(temporaryFolder(), "tool");
      const grandchild = { setsid: true, ignoreSignals: true, pidFile };
      const hall = await startHall({
        roster: { cancel_grace: "300ms" },
        slots: { far: { ways: { ...STUBBORN, grandchild }, launch: server.launch, env: { SECRET } } },
      });
      const client = await hall.connect();
      const sessionId = await client.begin();
      expect(await fact(client, sessionId, "cwd")).toBe(hall.work);
      const pid = await fact(client, sessionId, "pid");
      const environment = file(pid, "environ");
      expect(environment).toContain(`SECRET=${SECRET}`);
      expect(environment.some((variable) => variable.startsWith("SSH_CONNECTION="))).toBe(true);
      expect(environment.some((variable) => variable.startsWith("HALL_PERMISSION_SOCKET="))).toBe(false);
      expect(commandLines().filter((line) => line.includes(SECRET))).toEqual([]);

      await client.prompt(sessionId, [
        { tool: { id: "t", title: "look" } },
        { toolUpdate: { id: "t", status: "completed" } },
        { read: join(hall.work, "a") },
      ]);
      expect(client.texts(sessionId)).toContain("read: error -32601");

      const turn = client.prompt(sessionId, [{ say: "waiting" }, { wait: "forever" }]);
      await client.hears("waiting");
      client.cancel(sessionId);
      expect((await turn).stopReason).toBe("cancelled");
      await eventually(() => [isRunning(pid), isRunning(readFileSync(pidFile, "utf8"))]).toEqual([
        false,
        false,
      ]);

      // It comes back with the next prompt.
      expect(await fact(client, sessionId, "pid")).not.toBe(pid);
    },
  );

  it("says what is wrong there, with the launcher's own words", async () => {
    const launch = [standIn("docker", 'shift 3; exec "$@"'), "run", "-i", "image"];
    const hall = await startHall({
      slots: { far: { ways: {}, launch }, none: { command: ["no-such-agent"], launch } },
    });
    const client = await hall.connect();
    await client.initialize();
    await expect(client.newSession({ cwd: "/not/there" })).rejects.toThrow(
      "Its last words: hall: the folder /not/there is not there, or may not be entered",
    );
    await expect(client.newSession({ _meta: { "hall/slot": "none" } })).rejects.toThrow(
      "hall: there is no program no-such-agent there; install it, or set PATH in env",
    );
    // In a slot that names no folder there, a client has to.
    await expect(client.request("session/new", { mcpServers: [] })).rejects.toThrow('"cwd" is required');
  });

  it("that is docker or kubectl gets its words as they are written, and a shell behind them", async () => {
    const folder = temporaryFolder();
    const record = `printf '%s\\n' "$0" "$@" > "${folder}/words"; while [ "$1" != sh ]; do shift; done; exec "$@"`;
    for (const [name, ...words] of [
      ["docker", "run", "-i", "--rm", "-v", "/srv/it's here:/work", "image"],
      ["kubectl", "exec", "-i", "a pod", "--"],
    ]) {
      const program = standIn(name ?? "", record);
      const hall = await startHall({ slots: { far: { ways: {}, launch: [program, ...words] } } });
      const client = await hall.connect();
      const sessionId = await client.begin();
      expect(await fact(client, sessionId, "cwd")).toBe(hall.work);
      const shell = ["sh", "-c", 'IFS= read -r hall && eval "$hall"'];
      expect(readFileSync(join(folder, "words"), "utf8").trimEnd().split("\n")).toEqual([
        program,
        ...words,
        ...shell,
      ]);
      client.destroy();
      await hall.stop();
    }
  });

  it("that is podman runs in a container, which is gone afterwards, in folders that the client calls otherwise", async ({
    skip,
  }) => {
    const image = containerImage();
    if (typeof image !== "string") skip(`no container runs here: ${image.why}`);
    const mounts = [ROOT, dirname(process.execPath), "/usr", "/etc"].flatMap((path) => [
      "-v",
      `${path}:${path}:ro`,
    ]);
    const work = temporaryFolder();
    const name = `hall-test-${process.pid}`;
    const hall = await startHall({
      roster: { cancel_grace: "300ms" },
      slots: {
        far: {
          ways: STUBBORN,
          launch: [
            "podman",
            "run",
            "-i",
            "--rm",
            "--name",
            name,
            ...mounts,
            "-v",
            `${work}:/work`,
            `${image}`,
          ],
          cwd: "/work",
          cwd_map: [{ client: work, agent: "/work" }],
          env: { SECRET },
        },
      },
    });
    const client = await hall.connect();
    await client.initialize();
    const { sessionId } = await client.newSession({ cwd: work });
    expect(await fact(client, sessionId, "cwd")).toBe("/work");
    await client.prompt(sessionId, [{ tool: { id: "t", title: "t", locations: [{ path: "/work/a" }] } }]);
    expect(client.updates(sessionId)).toContainEqual(
      expect.objectContaining({ toolCallId: "t", locations: [{ path: join(work, "a") }] }),
    );
    const turn = client.prompt(sessionId, [{ say: "waiting" }, { wait: "forever" }]);
    await client.hears("waiting");
    client.cancel(sessionId);
    expect((await turn).stopReason).toBe("cancelled");
    await eventually(() => execFileSync("podman", ["ps", "-aq", "-f", `name=${name}`]).toString()).toBe("");
  });
});

/** A program of this name, on this machine. */
function standIn(name: string, script: string): string {
  const program = join(temporaryFolder(), name);
  writeFileSync(program, `#!/bin/sh\n${script}\n`);
  chmodSync(program, 0o755);
  return program;
}

/** An image that holds nothing but the places where this machine's own programs are mounted. */
function containerImage(): string | { why: string } {
  const folder = temporaryFolder();
  for (const place of ["usr", "etc", "proc", "dev", "tmp", "work"]) mkdirSync(join(folder, place));
  for (const place of ["bin", "sbin", "lib", "lib64"]) symlinkSync(`usr/${place}`, join(folder, place));
  try {
    const quiet: ExecFileSyncOptionsWithStringEncoding = { stdio: "pipe", encoding: "utf8" };
    const archive = join(temporaryFolder(), "image.tar");
    execFileSync("tar", ["-C", folder, "-cf", archive, "."], quiet);
    const image = execFileSync("podman", ["import", "-q", archive], quiet).trim();
    onTestFinished(() => void execFileSync("podman", ["rmi", "-f", image], quiet));
    execFileSync("podman", ["run", "--rm", "-v", "/usr:/usr:ro", image, "true"], quiet);
    return image;
  } catch (error) {
    return { why: String(error).split("\n").slice(0, 3).join(" ") };
  }
}
