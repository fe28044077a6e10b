import { describe, expect, it } from "vitest";
import { type Doors, doorFindings } from "../../../src/cli/doctor/doors.ts";
import type { Finding, Verdict } from "../../../src/cli/doctor/finding.ts";
import { limitFindings } from "../../../src/cli/doctor/limits.ts";
import { type Port, portFindings } from "../../../src/cli/doctor/ports.ts";
import { type Processes, processFindings } from "../../../src/cli/doctor/processes.ts";
import { rosterFindings } from "../../../src/cli/doctor/roster-file.ts";
import { type Halls, hallFindings } from "../../../src/cli/doctor/running-halls.ts";
import { type SlotState, slotFindings } from "../../../src/cli/doctor/slots.ts";
import { type StateFolder, stateFindings } from "../../../src/cli/doctor/state-folder.ts";
import { type Surroundings, surroundingsFindings } from "../../../src/cli/doctor/surroundings.ts";
import { type TlsState, tlsFindings } from "../../../src/cli/doctor/tls.ts";
import type { RunningHall } from "../../../src/hall/addresses.ts";
import { rosterOf } from "../../../src/hall/roster.ts";

const DAY_MS = 86_400_000;
const NOW = Date.parse("2026-05-05T12:00:00Z");

/** What is wrong, of all that was found; and a fault or a warning always comes with its fix. */
function wrong(
  findings: readonly Finding[],
): [check: string, verdict: Verdict, message: string, fix: string][] {
  for (const { verdict, fix } of findings) expect(fix === undefined).toBe(verdict === "ok");
  return findings
    .filter(({ verdict }) => verdict !== "ok")
    .map(({ check, verdict, message, fix = "" }) => [check, verdict, message, fix]);
}

const saying = (text: string): unknown => expect.stringContaining(text);

describe("surroundings", () => {
  const sound: Surroundings = {
    nodeVersion: "24.1.0",
    nodeFloor: "20.19",
    env: { PATH: "/usr/bin:/bin", XDG_RUNTIME_DIR: "/run/user/1" },
    now: NOW,
    installed: NOW - DAY_MS,
    runtimeFolder: "own",
    platform: "linux",
  };
  const found = (change: Partial<Surroundings>) => wrong(surroundingsFindings({ ...sound, ...change }));

  it("that are sound are all well", () => {
    expect(found({})).toEqual([]);
    expect(found({ nodeVersion: "20.19.0" })).toEqual([]);
    expect(found({ env: { PATH: "/bin" }, runtimeFolder: undefined })).toEqual([]);
  });

  it.each(["20.18.9", "18.20.0", "9.0.0"])("Node %s is too old", (nodeVersion) => {
    expect(found({ nodeVersion })).toEqual([["node", "fault", saying("needs 20.19"), saying("nodejs.org")]]);
  });

  it("a PATH that is not set, or has relative folders, is told", () => {
    expect(found({ env: {} })).toEqual([["path", "warning", saying("not set"), saying("export PATH=")]]);
    expect(found({ env: { PATH: "/bin:.:bin:" } })).toEqual([
      ["path", "warning", saying('(".", "bin", "")'), saying("from the root")],
    ]);
  });

  it("a clock that was set back before the installation is a fault", () => {
    expect(found({ now: 0 })).toEqual([["clock", "fault", saying("1970-01-01"), saying("timedatectl")]]);
    expect(found({ now: sound.installed - 3_600_000 })).toEqual([]);
  });

  it.each([
    ["missing", "no folder"],
    ["foreign", "not this user's alone"],
  ] as const)("a runtime folder that is %s is told", (runtimeFolder, text) => {
    expect(found({ runtimeFolder })).toEqual([
      ["runtime-folder", "warning", saying(text), saying("unset XDG_RUNTIME_DIR")],
    ]);
  });

  it("that it runs inside an agent is told", () => {
    expect(found({ env: { ...sound.env, HALL_PROCESS: "a.1" } })).toEqual([
      ["inside-agent", "warning", saying("HALL_PROCESS"), saying("shell of your own")],
    ]);
  });
});

describe("a roster", () => {
  const roster = rosterOf(
    { slots: { demo: { command: ["x"], env: { MY_API_KEY: "sk-1234567" } } } },
    { folder: "/h" },
  );

  it("that is not there, or is wrong, is a fault with the place and what to do", () => {
    expect(wrong(rosterFindings({ problem: "There is no roster.", way: "", faults: [] }))).toEqual([
      ["roster", "fault", "There is no roster.", "hall init"],
    ]);
    const fault = {
      file: "/h/hall.yml",
      line: 3,
      column: 5,
      path: "slots.a",
      message: "is odd; write it so",
    };
    expect(wrong(rosterFindings({ file: "/h/hall.yml", way: "", faults: [fault] }))).toEqual([
      ["roster", "fault", "/h/hall.yml:3:5: slots.a: is odd", "write it so"],
    ]);
  });

  it("that holds a key and can be read by others is told, and the key is not", () => {
    const found = wrong(rosterFindings({ file: "/h/hall.yml", way: "", faults: [], roster, mode: 0o644 }));
    expect(found).toEqual([["roster", "warning", saying("Keys"), "chmod go-r /h/hall.yml"]]);
    expect(JSON.stringify(found)).not.toContain("sk-1234567");
    expect(wrong(rosterFindings({ file: "/h/hall.yml", way: "", faults: [], roster, mode: 0o600 }))).toEqual(
      [],
    );
  });
});

describe("a state directory", () => {
  const sound: StateFolder = {
    folder: "/s",
    found: { isFolder: true, uid: 7, mode: 0o40700 },
    nearest: "/s",
    refusal: undefined,
    freeBytes: 2 ** 40,
    freeNames: 1_000_000,
    uid: 7,
  };
  const found = (change: Partial<StateFolder>) => wrong(stateFindings({ ...sound, ...change }));

  it("that is sound, or not there yet, is well", () => {
    expect(found({})).toEqual([]);
    expect(found({ found: undefined, nearest: "/" })).toEqual([]);
    expect(found({ freeBytes: undefined, freeNames: undefined })).toEqual([]);
  });

  it("that is no folder, another's, or cannot be written is a fault", () => {
    expect(found({ found: { isFolder: false, uid: 7, mode: 0o600 } })).toEqual([
      ["state", "fault", saying("no folder"), saying("state in the roster")],
    ]);
    expect(found({ found: { isFolder: true, uid: 8, mode: 0o700 } })).toEqual([
      ["state", "fault", saying("another user (uid 8)"), saying("chown")],
    ]);
    expect(found({ refusal: "EROFS" })).toEqual([
      ["state", "fault", saying("EROFS"), saying("can be written")],
    ]);
    expect(found({ found: undefined, nearest: "/up", refusal: "EACCES" })).toEqual([
      ["state", "fault", saying("/up, where /s would be made"), saying("chmod u+rwx /up")],
    ]);
  });

  it("that others may enter is told", () => {
    expect(found({ found: { isFolder: true, uid: 7, mode: 0o40755 } })).toEqual([
      ["state", "warning", saying("Other users may enter"), "chmod 700 /s"],
    ]);
  });

  it("whose disk is full, or nearly, is told", () => {
    expect(found({ freeBytes: 2 ** 20 })).toEqual([["disk", "fault", saying("1 MiB"), saying("Free space")]]);
    expect(found({ freeBytes: 500 * 2 ** 20 })).toEqual([
      ["disk", "warning", saying("500 MiB"), saying("Free")],
    ]);
    expect(found({ freeNames: 3 })).toEqual([
      ["disk", "fault", saying("3 more files"), saying("Free space")],
    ]);
  });
});

describe("limits of the system", () => {
  const { limits } = rosterOf({ slots: { demo: { demo: true } } }, { folder: "/h" });
  const found = (openFiles?: number, processes?: number) =>
    wrong(limitFindings({ openFiles, processes }, { limits }));

  it("that are enough, endless or not told are well", () => {
    expect(found(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY)).toEqual([]);
    expect(found(100_000, 100_000)).toEqual([]);
    expect(found()).toEqual([]);
  });

  it("that are less than the roster's limits are told, and a fault when they are far less", () => {
    expect(found(1024)).toEqual([
      ["open-files", "warning", saying("may have 1024"), saying("ulimit -n 1576")],
    ]);
    expect(found(256)).toEqual([["open-files", "fault", saying("may have 256"), saying("ulimit -n 1576")]]);
    expect(found(undefined, 100)).toEqual([
      ["user-processes", "fault", saying("may have 100"), saying("ulimit -u 1280")],
    ]);
  });
});

describe("halls", () => {
  const hall: RunningHall = {
    pid: 5,
    startTime: "1",
    state: "/s",
    roster: "/h/hall.yml",
    addresses: { tcp: "127.0.0.1:7420", http: null, unix: "/s/hall.sock" },
    version: "1.0.0",
  };
  const holder = {
    pid: 5,
    startTime: "1",
    key: "ab",
    version: "1.0.0",
    since: "today",
    socket: "/s/hall.sock",
  };
  const none: Halls = {
    version: "1.0.0",
    running: [],
    holder: undefined,
    answer: undefined,
    named: undefined,
  };
  const found = (change: Partial<Halls>) => wrong(hallFindings({ ...none, ...change }));

  it("that answer in our version, and none at all, are well", () => {
    expect(found({})).toEqual([]);
    expect(found({ running: [hall], holder, answer: { kind: "answers", version: "1.0.0" } })).toEqual([]);
  });

  it("of another version are told, that of the roster and others", () => {
    const old = { ...holder, version: "0.9.0" };
    expect(found({ holder: old, answer: { kind: "answers", version: "0.9.0" } })).toEqual([
      ["hall", "warning", saying("is version 0.9.0"), saying("hall stop")],
    ]);
    expect(found({ running: [{ ...hall, version: "0.9.0" }] })).toEqual([
      ["other-hall", "warning", saying("is version 0.9.0"), saying("hall stop --config /h/hall.yml")],
    ]);
  });

  it("that hold the state directory and do not answer are a fault", () => {
    expect(found({ holder, answer: { kind: "silent", message: "ECONNREFUSED" } })).toEqual([
      ["hall", "fault", saying("(pid 5, since today)"), saying("kill 5")],
    ]);
    expect(found({ holder })).toEqual([["hall", "fault", saying("cannot be reached"), saying("kill 5")]]);
  });

  it("that are named and not there, or let us not in, are a fault", () => {
    const address = "tcp://far:1";
    const named = (answer: NonNullable<Halls["answer"]>) => found({ named: { address, answer } });
    expect(named({ kind: "silent", message: "No hall answers." })).toEqual([
      ["connect", "fault", "No hall answers.", saying("unset HALL_CONNECT")],
    ]);
    expect(named({ kind: "refuses", message: "No token." })).toEqual([
      ["connect", "fault", "No token.", saying("hall token add")],
    ]);
    expect(named({ kind: "answers", version: "2.0.0" })).toEqual([
      ["connect", "warning", saying("version 2.0.0"), saying("one version")],
    ]);
    expect(named({ kind: "answers", version: "1.0.0" })).toEqual([]);
  });

  it("a port that is taken is told with who has it, a hall of ours by its roster", () => {
    const port: Port = {
      door: "tcp",
      address: { host: "127.0.0.1", port: 7420 },
      refusal: "EADDRINUSE",
      listener: { pid: 9, command: "python -m http.server" },
    };
    const taken = (change: Partial<Port>, running: RunningHall[] = []) =>
      wrong(portFindings([{ ...port, ...change }], running));
    expect(taken({ refusal: undefined })).toEqual([]);
    expect(taken({})).toEqual([
      ["port", "fault", saying("process 9 (python -m http.server)"), saying("tcp: 0")],
    ]);
    expect(taken({ listener: undefined })).toEqual([
      ["port", "fault", saying("another program"), saying("Stop")],
    ]);
    expect(taken({ listener: undefined }, [hall])).toEqual([
      ["port", "fault", saying("the hall of /h/hall.yml (pid 5)"), saying("Stop it")],
    ]);
    expect(taken({ refusal: "EACCES" })).toEqual([["port", "fault", saying("below 1024"), saying("higher")]]);
    expect(taken({ refusal: "EADDRNOTAVAIL" })).toEqual([
      ["port", "fault", saying("no address of this machine"), saying("listen.tcp")],
    ]);
    expect(taken({ refusal: "EMFILE" })).toEqual([["port", "fault", saying("EMFILE"), saying("listen.tcp")]]);
  });
});

describe("TLS", () => {
  const sound: TlsState = {
    files: { cert: "/c.pem", key: "/k.pem", clientCa: undefined },
    problem: undefined,
    certificate: {
      validFrom: NOW - DAY_MS,
      validTo: NOW + 90 * DAY_MS,
      subject: "DNS:hall.example",
      covers: (host) => host === "hall.example",
    },
    keyMode: 0o600,
    hosts: ["hall.example"],
    now: NOW,
  };
  const found = (change: Partial<TlsState>) => wrong(tlsFindings({ ...sound, ...change }));
  const valid = (from: number, to: number): Partial<TlsState> => ({
    certificate: sound.certificate && {
      ...sound.certificate,
      validFrom: NOW + from * DAY_MS,
      validTo: NOW + to * DAY_MS,
    },
  });

  it("whose certificate holds for a while is well", () => {
    expect(found({})).toEqual([]);
  });

  it("whose certificate is expired, not yet valid, or soon over is told", () => {
    expect(found(valid(-9, -1))).toEqual([
      ["tls", "fault", saying("expired on 2026-05-04"), saying("/c.pem")],
    ]);
    expect(found(valid(1, 90))).toEqual([
      ["tls", "fault", saying("not valid before 2026-05-06"), saying("clock")],
    ]);
    expect(found(valid(-9, 13))).toEqual([["tls", "warning", saying("in 13 days"), saying("/c.pem")]]);
  });

  it("whose certificate is for another name, or whose key others may read, is told", () => {
    expect(found({ hosts: ["10.0.0.1"] })).toEqual([
      ["tls", "warning", saying("not for 10.0.0.1"), saying("have one made")],
    ]);
    expect(found({ keyMode: 0o640 })).toEqual([["tls", "warning", saying("/k.pem"), "chmod 600 /k.pem"]]);
  });

  it("whose files cannot be used is a fault", () => {
    expect(found({ problem: "It is missing.", certificate: undefined })).toEqual([
      ["tls", "fault", "It is missing.", saying("listen.tls")],
    ]);
  });
});

describe("the doors", () => {
  const sound: Doors = {
    tokensFile: "/t.yml",
    tokens: 0,
    open: [],
    listens: true,
    trustLoopback: false,
    insecure: false,
    isRoot: false,
  };
  const found = (change: Partial<Doors>) => wrong(doorFindings({ ...sound, ...change }));

  it("that only this machine reaches, or tokens guard, are well", () => {
    expect(found({})).toEqual([]);
    expect(found({ open: ["0.0.0.0:1"], tokens: 1 })).toEqual([]);
    expect(found({ isRoot: true, trustLoopback: true, listens: false })).toEqual([]);
  });

  it("that other machines reach, with no token or a file that cannot be used, are a fault", () => {
    expect(found({ open: ["0.0.0.0:1"] })).toEqual([
      ["tokens", "fault", saying("0.0.0.0:1"), "hall token add NAME"],
    ]);
    expect(found({ tokens: { problem: "It is another user's." } })).toEqual([
      ["tokens", "fault", "It is another user's.", saying("chmod 600 /t.yml")],
    ]);
  });

  it("that are wider than they need be are told", () => {
    expect(found({ insecure: true, trustLoopback: true, isRoot: true }).map(([check]) => check)).toEqual([
      "exposure",
      "exposure",
      "exposure",
    ]);
  });
});

describe("a slot", () => {
  const { slots } = rosterOf({ slots: { claude: { agent: "claude-acp" } } }, { folder: "/h" });
  const [slot] = slots;
  if (!slot) throw new Error("There is one.");
  const sound: SlotState = {
    slot,
    check: { name: "claude", title: "claude", program: "/bin/claude-agent-acp" },
    installed: { version: "0.49.0", tried: "0.49.0" },
    isToBeFetched: false,
    loggedIn: true,
    keys: ["ANTHROPIC_API_KEY"],
    missingRoots: [],
  };
  const found = (change: Partial<SlotState>) => wrong(slotFindings({ ...sound, ...change }));
  const check = { name: "claude", title: "claude" };

  it("whose agent is there is well, also where nobody can tell whether it is logged in", () => {
    expect(found({})).toEqual([]);
    expect(found({ loggedIn: undefined, installed: undefined })).toEqual([]);
  });

  it("that cannot start, or lacks a root, is a fault with what to do", () => {
    expect(found({ check: { ...check, problem: "There is no program; install it." } })).toEqual([
      ["slot", "fault", "There is no program.", "Install it."],
    ]);
    expect(found({ check: { ...check, unavailable: "Not set: KEY; set it, or write a default." } })).toEqual([
      ["slot", "fault", "Not set: KEY.", "Set it, or write a default."],
    ]);
    expect(found({ missingRoots: ["/r"] })).toEqual([["slot", "fault", saying("/r"), "mkdir -p /r"]]);
  });

  it("whose agent is another version, not fetched, not logged in, or lacks a variable is told", () => {
    expect(found({ installed: { version: "0.50.1", tried: "0.49.0" } })).toEqual([
      [
        "slot",
        "warning",
        saying("0.50.1"),
        saying("npm install -g @agentclientprotocol/claude-agent-acp@0.49.0"),
      ],
    ]);
    const fetches = "@agentclientprotocol/claude-agent-acp@0.49.0";
    expect(found({ isToBeFetched: true, check: { ...check, program: "/bin/npx", fetches } })).toEqual([
      ["slot", "warning", saying("only 60 s"), saying("init_timeout: 3m")],
    ]);
    expect(found({ loggedIn: false })).toEqual([
      ["slot", "warning", saying("neither a key nor a login"), saying("hall login claude")],
    ]);
    expect(found({ check: { ...sound.check, unset: ["SOME_KEY"] } })).toEqual([
      ["slot", "warning", saying("SOME_KEY"), saying("export SOME_KEY")],
    ]);
  });
});

describe("processes", () => {
  const sound: Processes = {
    hall: undefined,
    left: [],
    first: ["/sbin/init"],
    uncollected: new Map([[9, 50]]),
  };
  const found = (change: Partial<Processes>) => wrong(processFindings({ ...sound, ...change }));

  it("under an init, with none left behind, are well", () => {
    expect(found({})).toEqual([]);
    expect(found({ first: ["tini", "--", "hall", "serve"], hall: 7 }).map(([, verdict]) => verdict)).toEqual(
      [],
    );
  });

  it("that a killed hall left are a fault, with their pids", () => {
    expect(
      found({
        left: [
          { pid: 11, slot: "a" },
          { pid: 12, slot: "a" },
        ],
      }),
    ).toEqual([["left-processes", "fault", saying("slots: a; pids: 11 12"), saying("kill 11 12")]]);
  });

  it("with a hall as process 1 are told, and a fault once ended ones pile up", () => {
    const first = ["node", "/opt/hall/dist/cli/main.js", "serve"];
    expect(found({ first })).toEqual([["process-1", "warning", saying("collects nobody"), saying("--init")]]);
    expect(found({ hall: 1, first: [] })).toEqual([
      ["process-1", "warning", saying("collects nobody"), saying("--init")],
    ]);
    expect(found({ first, uncollected: new Map([[1, 40]]) })).toEqual([
      ["process-1", "fault", saying("40 ended processes"), saying("--init")],
    ]);
    expect(found({ uncollected: new Map([[1, 40]]) })).toEqual([
      ["process-1", "warning", saying("/sbin/init"), saying("--init")],
    ]);
  });
});
