import { spawn } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import net from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { findKnownAgent } from "../../../src/agents/registry.ts";
import { systemTable } from "../../../src/agents/system-table.ts";
import { isLoggedIn } from "../../../src/cli/doctor/credentials.ts";
import { examine } from "../../../src/cli/doctor/examination.ts";
import type { Finding } from "../../../src/cli/doctor/finding.ts";
import { systemLimits } from "../../../src/cli/doctor/limits.ts";
import { processesOf } from "../../../src/cli/doctor/processes.ts";
import { slotFindings, slotStates } from "../../../src/cli/doctor/slots.ts";
import { tlsFindings, tlsState } from "../../../src/cli/doctor/tls.ts";
import { HandClock, systemClock } from "../../../src/ground/clock.ts";
import { rosterOf } from "../../../src/hall/roster.ts";
import { Authority, hasOpenssl } from "../../doubles/certificates.ts";
import { agentCommand } from "../../doubles/scripted-agent/command.ts";
import { startHall } from "../../doubles/start-hall.ts";
import { temporaryFolder } from "../../doubles/temporary-folder.ts";

const onLinux = process.platform === "linux";

interface House {
  folder: string;
  env: NodeJS.ProcessEnv;
}

/** A user's folder with a roster in it. */
function house(values: object): House {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "hall.yml"), JSON.stringify(values), { mode: 0o600 });
  return { folder, env: { PATH: process.env.PATH, HOME: folder } };
}

const examined = ({ folder, env }: House, more: { start?: boolean; connect?: string } = {}) =>
  examine({
    choice: more.connect === undefined ? {} : { connect: more.connect },
    clock: systemClock,
    env,
    here: folder,
    start: more.start ?? false,
  });

const of = (findings: readonly Finding[], check: string): Finding[] =>
  findings.filter((finding) => finding.check === check);

async function listening(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("It has a port.");
  return address.port;
}

describe("hall doctor looks at this machine as it is, and", () => {
  it("finds a port that is taken, and on Linux by whom", async () => {
    const port = await listening();
    const findings = await examined(house({ listen: { tcp: port }, slots: { demo: { demo: true } } }));
    expect(of(findings, "port")).toEqual([
      expect.objectContaining({ verdict: "fault", message: expect.stringContaining(`127.0.0.1:${port}`) }),
    ]);
    if (onLinux) expect(of(findings, "port")[0]?.message).toContain(`process ${process.pid} (`);
    expect(of(findings, "slot")[0]?.verdict).toBe("ok");
  });

  it("starts agents only when it is asked, and says which does not answer", async () => {
    const place = house({
      listen: { tcp: false },
      slots: {
        good: { command: agentCommand() },
        bad: { command: ["/bin/sh", "-c", "echo no key >&2; exit 3"] },
      },
    });
    expect(of(await examined(place), "start")).toEqual([]);
    const [good, bad] = of(await examined(place, { start: true }), "start");
    expect(good).toMatchObject({
      subject: "good",
      verdict: "ok",
      message: /^scripted-agent 1\.0\.0 answered/,
    });
    expect(bad).toMatchObject({
      subject: "bad",
      verdict: "fault",
      message: expect.stringContaining("no key"),
    });
  });

  it("tells a hall that runs, one of another version, and one that lets us not in", async () => {
    const hall = await startHall({ slots: { demo: { demo: true } }, strangers: true });
    const { unix, tcp } = hall.service.addresses;
    const place = house({ listen: { tcp: false }, slots: { demo: { demo: true } } });
    const refused = { verdict: "fault", fix: expect.stringContaining("hall token add") };
    const byTcp = async () => of(await examined(place, { connect: `tcp://${tcp}` }), "connect");
    expect(await byTcp()).toEqual([expect.objectContaining(refused)]);
    // With tokens, a stranger is heard out and refused.
    hall.token("ann");
    expect(await byTcp()).toEqual([expect.objectContaining(refused)]);
    const [bySocket] = of(await examined(place, { connect: `unix:${unix}` }), "connect");
    expect(bySocket?.message).toMatch(/answers|is version/);
    const state = { listen: { tcp: false }, state: join(unix, ".."), slots: { demo: { demo: true } } };
    const [own] = of(await examined(house(state)), "hall");
    expect(own?.message).toContain(`pid ${process.pid}`);
  });

  it("tells that nobody is where HALL_CONNECT leads", async () => {
    const place = house({ slots: { demo: { demo: true } }, listen: { tcp: false } });
    const socket = join(place.folder, "gone.sock");
    const env = { ...place.env, HALL_CONNECT: `unix:${socket}` };
    expect(of(await examined({ ...place, env }), "connect")).toEqual([
      expect.objectContaining({ verdict: "fault", message: expect.stringContaining(socket) }),
    ]);
  });

  it("goes on without a roster", async () => {
    const folder = temporaryFolder();
    const findings = await examined({ folder, env: { PATH: "/bin", HOME: folder, XDG_CONFIG_HOME: folder } });
    expect(of(findings, "roster")).toEqual([expect.objectContaining({ verdict: "fault", fix: "hall init" })]);
    expect(of(findings, "hall")).toHaveLength(1);
  });

  it.skipIf(!onLinux)("finds what a killed hall left running, and no process that took its number", () => {
    const state = temporaryFolder();
    const child = spawn("/bin/sleep", ["60"], { stdio: "ignore" });
    onTestFinished(() => void child.kill("SIGKILL"));
    const pid = child.pid ?? 0;
    const table = systemTable();
    const { startTime } = table.find(pid) ?? { startTime: "" };
    writeFileSync(join(state, "id"), "0123456789abcdef");
    const ledger = [
      { state: "0123456789abcdef", last: 2 },
      { n: 1, slot: "left", pid, startTime },
      { n: 2, slot: "reused", pid: process.pid, startTime: "1@before" },
      { n: 3, slot: "over", pid, startTime },
      { n: 3, ended: true },
    ];
    writeFileSync(join(state, "processes.jsonl"), ledger.map((line) => `${JSON.stringify(line)}\n`).join(""));
    expect(processesOf(table, state, undefined).left).toEqual([{ pid, slot: "left" }]);
    // While a hall runs they are its own.
    expect(processesOf(table, state, 7).left).toEqual([]);
  });

  it.skipIf(!hasOpenssl)("reads certificates: names, end, and a key that is another's", () => {
    const folder = temporaryFolder();
    const authority = new Authority(folder, "authority");
    const [one, other] = [authority.certificate("one"), authority.certificate("other")];
    const found = (tls: object, clock = systemClock, tcp = "127.0.0.1:7420") => {
      const roster = rosterOf({ listen: { tcp, tls }, slots: { demo: { demo: true } } }, { folder });
      const state = tlsState(roster, clock);
      return (state ? tlsFindings(state) : []).map(({ verdict, message }) => `${verdict}: ${message}`);
    };
    // They are made for two days.
    expect(found(one)).toEqual([expect.stringMatching(/^warning: The certificate expires on .* in 1 days/)]);
    const later = new HandClock(Date.now() + 5 * 86_400_000);
    expect(found(one, later)).toEqual([expect.stringMatching(/^fault: The certificate expired on/)]);
    expect(found({ cert: one.cert, key: other.key })[0]).toMatch(/^fault: listen\.tls cannot be used/);
    expect(found({ cert: one.cert, key: join(folder, "no.key") })[0]).toMatch(
      /^fault: .*there is no such file/,
    );
    expect(found(one, systemClock, "10.1.2.3:7420")).toContainEqual(
      expect.stringMatching(/^warning: The certificate is not for 10\.1\.2\.3/),
    );
  });

  it("tells the version of an installed agent, and what npx has already", () => {
    const { folder, env } = house({});
    const known = findKnownAgent("codex-acp")?.from;
    if (known?.runner !== "npx") throw new Error("It is an npm package.");
    const install = (root: string, version: string): string => {
      const home = join(root, "node_modules", known.package);
      mkdirSync(home, { recursive: true });
      writeFileSync(join(home, "package.json"), JSON.stringify({ name: known.package, version }));
      writeFileSync(join(home, "run.js"), "#!/bin/sh\n", { mode: 0o755 });
      return join(home, "run.js");
    };
    const bin = join(folder, "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "npx"), "#!/bin/sh\n", { mode: 0o755 });
    const roster = rosterOf({ slots: { codex: { agent: "codex-acp", init_timeout: "3m" } } }, { folder });
    const found = () => slotStates(roster, { ...env, PATH: bin, CODEX_API_KEY: "x" }).flatMap(slotFindings);
    const messages = () => found().map(({ message }) => message);
    expect(messages()[0]).toContain(`Its first start fetches ${known.package}@${known.version}.`);
    install(join(folder, ".npm", "_npx", "abc"), known.version);
    expect(messages().some((message) => message.includes("first start fetches"))).toBe(false);
    symlinkSync(install(join(folder, "lib"), "9.9.9"), join(bin, "codex-acp"));
    expect(messages()[0]).toContain("Version 9.9.9 of its agent is installed");
  });

  it("tells a login by the agent's own files, where nothing else can hold it", () => {
    const { folder } = house({});
    const run = { kind: "adapter", adapter: "codex", command: undefined } as const;
    const oneShot = { preset: undefined, output: "text", resumeArgs: undefined } as const;
    const loggedIn = (environment: Record<string, string>, platform: NodeJS.Platform = "linux") =>
      isLoggedIn({ run: { ...run, oneShot }, environment: { HOME: folder, ...environment }, platform });
    expect(loggedIn({})).toBe(false);
    expect(loggedIn({ OPENAI_API_KEY: "x" })).toBe(true);
    expect(loggedIn({}, "darwin")).toBeUndefined();
    mkdirSync(join(folder, ".codex"));
    writeFileSync(join(folder, ".codex", "auth.json"), "{}");
    expect(loggedIn({})).toBe(true);
    expect(isLoggedIn({ run: { kind: "demo" }, environment: {}, platform: "linux" })).toBeUndefined();
  });

  it("reads the system's limits", () => {
    const proc = temporaryFolder();
    mkdirSync(join(proc, "self"));
    const lines = [
      "Limit                     Soft Limit           Hard Limit           Units     ",
      "Max processes             unlimited            unlimited            processes ",
      "Max open files            1024                 524288               files     ",
    ];
    writeFileSync(join(proc, "self", "limits"), `${lines.join("\n")}\n`);
    expect(systemLimits(proc)).toEqual({ openFiles: 1024, processes: Number.POSITIVE_INFINITY });
    // Where there is no /proc the shell knows.
    expect(systemLimits(join(proc, "no")).openFiles).toBeGreaterThan(0);
  });
});
