import { join } from "node:path";
import type { McpServer } from "@agentclientprotocol/sdk";
import { describe, expect, expectTypeOf, it } from "vitest";
import type { SlotConfig } from "../../src/hall/roster/slot-config.ts";
import { rosterOf } from "../../src/hall/roster.ts";
import { FILE, firstSlot, read } from "./rosters.ts";

const LEAST = "slots: { demo: { demo: true } }\n";

describe("a roster that names one slot and nothing else", () => {
  it("has the documented defaults", () => {
    // What it was made of is as long again.
    const { read: _read, ...least } = read(LEAST);
    expect(least).toEqual({
      file: FILE,
      folder: "/srv",
      listen: { tcp: { host: "127.0.0.1", port: 7420 }, http: undefined, tls: undefined },
      tokensFile: "/srv/tokens.yml",
      http: { origins: [], hosts: [] },
      state: "/srv/.hall",
      durability: "process",
      trustLoopback: false,
      insecure: false,
      slots: [
        {
          name: "demo",
          title: "demo",
          run: { kind: "demo" },
          args: [],
          env: {},
          envInherit: [],
          cwd: "/srv",
          concurrency: 4,
          idleTimeout: 30 * 60_000,
          initTimeout: 60_000,
          turnTimeout: undefined,
          isolation: "session",
          warm: 0,
          onDisconnect: "keep",
          onRestart: "run",
          clientCapabilities: {},
          cancelTools: undefined,
          restore: "transcript",
          share: false,
          mcpServers: [],
          roots: [],
          mcpTrust: [],
          fs: undefined,
          terminal: undefined,
          permissionTimeout: 120_000,
          permissionRules: [],
        },
      ],
      cancelGrace: 5000,
      queueLimit: 16,
      limits: { line: 32 * 2 ** 20, processes: 64, sessions: 10_000, clients: 1000, startConcurrency: 2 },
      log: { level: "info", format: undefined },
      watch: false,
      keep: false,
      warnings: [],
      secrets: [],
      text: LEAST,
    });
  });

  it("counts keys that are left empty as not written, so that all in them can be commented out", () => {
    const empty = read(`
listen:
limits:
  # line: 1MiB
queue:
log:
permission:
slots:
  demo:
    demo: true
    args:
    env:
    env_inherit:
    client_capabilities:
    mcp_servers:
      # - name: x
    roots:
    mcp_trust:
    permission:
`);
    const { text: _, ...least } = read(LEAST);
    expect({ ...empty, text: undefined }).toEqual({ ...least, text: undefined });
  });
});

describe("a roster that says everything", () => {
  const roster = read(`
listen: { tcp: "[::]:0", http: 0.0.0.0:7421, tls: { cert: c.pem, key: /k.pem, client_ca: ca.pem } }
insecure: false
tokens_file: ../who.yml
http: { origins: ["https://a.example"], hosts: [a.example] }
state: ../var/hall
durability: power
trust_loopback: yes
watch: on
keep: on
slots:
  claude:
    title: Claude Code
    description: Writes code.
    agent: claude-acp
    args: [--verbose, "3"]
    env: { A: b, EMPTY: "" }
    env_inherit: [GITHUB_TOKEN]
    cwd: work
    concurrency: 7
    idle_timeout: never
    init_timeout: 90
    turn_timeout: 10m
    isolation: slot
    warm: 3
    on_disconnect: cancel
    on_restart: drop
    client_capabilities: { _meta: { terminal_output: true }, list: [1, null] }
    cancel_tools: off
    restore: fresh
    share: on
    mcp_servers:
      - { name: one, command: one-server, args: [-x], env: [{ name: A, value: b }] }
      - { name: two, type: stdio, command: two-server }
      - { name: three, type: http, url: "https://example.com/mcp", headers: [{ name: X-Key, value: abc }] }
      - { name: four, type: sse, url: "http://127.0.0.1:1/sse" }
    roots: [/srv/a, b]
    mcp_trust: [{ name: one, command: one-server }]
    fs: client
    terminal: no
    permission: { timeout: never }
  other:
    command: [/opt/agent, --acp]
    fs: yes
    terminal: client
permission: { timeout: 1h }
cancel_grace: 0
queue: { limit: 0 }
limits: { line: 64KiB, processes: 1, sessions: 2, clients: 3, start_concurrency: 4 }
log: { level: trace, format: json }
`);

  it("is read whole", () => {
    const { read: _read, ...whole } = roster;
    expect({ ...whole, slots: [], text: "" }).toEqual({
      file: FILE,
      folder: "/srv",
      listen: {
        tcp: { host: "::", port: 0 },
        http: { host: "0.0.0.0", port: 7421 },
        tls: { cert: "/srv/c.pem", key: "/k.pem", clientCa: "/srv/ca.pem" },
      },
      tokensFile: "/who.yml",
      http: { origins: ["https://a.example"], hosts: ["a.example"] },
      state: "/var/hall",
      durability: "power",
      trustLoopback: true,
      insecure: false,
      slots: [],
      cancelGrace: 0,
      queueLimit: 0,
      limits: { line: 65_536, processes: 1, sessions: 2, clients: 3, startConcurrency: 4 },
      log: { level: "trace", format: "json" },
      watch: true,
      keep: true,
      warnings: [],
      secrets: [],
      text: "",
    });
  });

  it("has its slots in the order of the file", () => {
    const [claude, other] = roster.slots;
    expect(claude).toEqual({
      name: "claude",
      title: "Claude Code",
      description: "Writes code.",
      run: { kind: "agent", id: "claude-acp" },
      args: ["--verbose", "3"],
      env: { A: "b", EMPTY: "" },
      envInherit: ["GITHUB_TOKEN"],
      cwd: "/srv/work",
      concurrency: 7,
      idleTimeout: undefined,
      initTimeout: 90_000,
      turnTimeout: 600_000,
      isolation: "slot",
      warm: 3,
      onDisconnect: "cancel",
      onRestart: "drop",
      clientCapabilities: { _meta: { terminal_output: true }, list: [1, null] },
      cancelTools: false,
      restore: "fresh",
      share: true,
      mcpServers: [
        { name: "one", command: "one-server", args: ["-x"], env: [{ name: "A", value: "b" }] },
        { name: "two", command: "two-server", args: [], env: [] },
        {
          type: "http",
          name: "three",
          url: "https://example.com/mcp",
          headers: [{ name: "X-Key", value: "abc" }],
        },
        { type: "sse", name: "four", url: "http://127.0.0.1:1/sse", headers: [] },
      ],
      roots: ["/srv/a", "/srv/b"],
      mcpTrust: [{ name: "one", command: "one-server", args: [], env: [] }],
      fs: "client",
      terminal: "off",
      permissionTimeout: undefined,
      permissionRules: [],
    });
    expect(other).toMatchObject({
      run: { kind: "command", command: ["/opt/agent", "--acp"] },
      fs: "on",
      terminal: "client",
      permissionTimeout: 3_600_000,
    });
  });

  it("has MCP servers that can be sent in session/new as they are", () => {
    expectTypeOf<SlotConfig["mcpServers"][number]>().toExtend<McpServer>();
    expect(firstSlot(roster).mcpServers.filter((server) => "type" in server)).toHaveLength(2);
  });
});

describe("listen.tcp", () => {
  const tcp = (written: string) => read(`listen: { tcp: ${written} }\n${LEAST}`).listen.tcp;

  it("is a host and a port, or a port on 127.0.0.1", () => {
    expect(tcp("127.0.0.1:7420")).toEqual({ host: "127.0.0.1", port: 7420 });
    expect(tcp("127.8.9.1:1")).toEqual({ host: "127.8.9.1", port: 1 });
    expect(tcp("LocalHost:0")).toEqual({ host: "localhost", port: 0 });
    expect(tcp('"[::1]:65535"')).toEqual({ host: "::1", port: 65_535 });
    expect(tcp('"[0:0:0:0:0:0:0:1]:80"')).toEqual({ host: "0:0:0:0:0:0:0:1", port: 80 });
    expect(tcp("9000")).toEqual({ host: "127.0.0.1", port: 9000 });
    expect(tcp('"9000"')).toEqual({ host: "127.0.0.1", port: 9000 });
  });

  it("is nothing when it is switched off, in any word for it", () => {
    for (const word of ["false", "off", "no"]) expect(tcp(word)).toBeUndefined();
  });
});

describe("a switch", () => {
  it("is set by each of its six words", () => {
    const set = (word: string) => read(`trust_loopback: ${word}\n${LEAST}`).trustLoopback;
    expect(["true", "on", "yes", '"true"'].map(set)).toEqual([true, true, true, true]);
    expect(["false", "off", "no", '"no"'].map(set)).toEqual([false, false, false, false]);
  });
});

describe("slots", () => {
  it("keep the order of the file also when their names are numbers", () => {
    const roster = read("slots: { z: { demo: true }, 2: { demo: true }, 1: { demo: true } }");
    expect(roster.slots.map(({ name }) => name)).toEqual(["z", "2", "1"]);
  });

  it("whose name begins with a number run that many turns at once, whatever concurrency says", () => {
    const slot = (name: string, concurrency = "") =>
      firstSlot(read(`slots: { ${name}: { demo: true ${concurrency} } }`));
    expect(slot("1claude", ", concurrency: 9").concurrency).toBe(1);
    expect(slot("3x").concurrency).toBe(3);
    expect(slot("12").concurrency).toBe(12);
    expect(slot("x3", ", concurrency: 9").concurrency).toBe(9);
  });

  it("that say a concurrency which their name overrules are warned about", () => {
    const { warnings } = read(
      "slots:\n  1a: { demo: true, concurrency: 2 }\n  2b: { demo: true, concurrency: 2 }\n",
    );
    expect(warnings).toEqual([
      {
        file: FILE,
        line: 2,
        column: 21,
        path: "slots.1a.concurrency",
        message:
          "it has no effect: by its name this slot runs 1 at once; take the key out, or rename the slot",
      },
    ]);
  });

  it.each([
    [
      "[npx, -y, '@agentclientprotocol/claude-agent-acp@0.49.0']",
      "npx downloads the agent when it first starts, and obeys the .npmrc and node_modules of each session's folder; write agent: claude-acp instead, or install it and write its own program here",
    ],
    [
      "[/usr/bin/npm, exec, some-agent]",
      "npm exec downloads the agent when it first starts, and obeys the .npmrc and node_modules of each session's folder; install the agent, and write its own program here",
    ],
    [
      "[uvx, some-agent]",
      "uvx downloads the agent when it first starts; install the agent, and write its own program here",
    ],
  ])("whose command fetches its agent are warned about: %s", (command, message) => {
    const { warnings } = read(`slots:\n  a: { command: ${command} }\n`);
    expect(warnings).toEqual([{ file: FILE, line: 2, column: 8, path: "slots.a.command", message }]);
    expect(read("slots: { a: { command: [npm, start] }, b: { command: [my-npx] } }").warnings).toEqual([]);
  });

  it("may have names in any script", () => {
    expect(firstSlot(read("slots: { björn.2_x-y: { demo: true } }")).name).toBe("björn.2_x-y");
  });

  it("may say demo: false beside what they run", () => {
    expect(firstSlot(read("slots: { a: { demo: false, command: [x] } }")).run).toEqual({
      kind: "command",
      command: ["x"],
    });
  });

  it("may share what they say by YAML's anchors", () => {
    const roster = read("slots:\n  a: { demo: true, env: &env { A: b } }\n  b: { demo: true, env: *env }\n");
    expect(roster.slots.map(({ env }) => env)).toEqual([{ A: "b" }, { A: "b" }]);
  });
});

describe("rosterOf", () => {
  const folder = "/tmp/somewhere";

  it("makes a roster from values, as if they had been written in a file of that folder", () => {
    const roster = rosterOf(
      {
        state: "here",
        slots: { b: { command: ["agent", "on", "1.0", "a\nb"] }, a: { demo: true, env: { A: `\${X}` } } },
      },
      { folder, env: { X: "from outside" } },
    );
    expect(roster.file).toBe(join(folder, "hall.yml"));
    expect(roster.state).toBe(join(folder, "here"));
    expect(roster.slots.map(({ name }) => name)).toEqual(["b", "a"]);
    expect(firstSlot(roster).run).toEqual({ kind: "command", command: ["agent", "on", "1.0", "a\nb"] });
    expect(roster.slots[1]?.env).toEqual({ A: "from outside" });
  });

  it("finds the faults that a file would have", () => {
    expect(() => rosterOf({ slots: { a: { demo: true, wrm: 1 } } }, { folder })).toThrow(
      "slots.a.wrm: this key is not known; did you mean warm?",
    );
    expect(() =>
      rosterOf({ slots: { a: { agent: "claud" } } }, { folder, knownAgents: ["claude-acp"] }),
    ).toThrow("did you mean claude-acp?");
  });
});
