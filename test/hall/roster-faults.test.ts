// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is what a roster's variables look like.
import { describe, expect, it } from "vitest";
import { RosterError, showFault } from "../../src/hall/roster/fault.ts";
import { faults, faultsOfSlot, faultsOfTop, read } from "./rosters.ts";

describe("what a person sees of a roster that cannot be used", () => {
  it("is every fault at once, each with its place, in the order of the file", () => {
    const text = `listn: {}
listen: { tcp: 0.0.0.0:7420 }
cancel_grace: soon
slots:
  claude:
    agent: clode-acp
    idle_timout: 5m
    warm: few
    concurrency: 4
    concurrency: 5
  "my slot":
    command: run it
  empty:
limits: { line: 1KiB, clients: none }
`;
    expect(faults(text, {}, { knownAgents: ["claude-acp", "codex-acp"] })).toEqual([
      "1:1: listn: this key is not known; did you mean listen?",
      '2:16: listen.tcp: "0.0.0.0:7420" can be reached from other machines, and without TLS everything can be read on the way; write listen.tls, or insecure: true where the network is your own, or 127.0.0.1 as the host',
      '3:15: cancel_grace: "soon" is not a duration; write 500ms, 5s, 2m, 1h or a number of seconds; 0 for never',
      '6:12: slots.claude.agent: "clode-acp" is not the id of a known agent; did you mean claude-acp?',
      "7:5: slots.claude.idle_timout: this key is not known; did you mean idle_timeout?",
      '8:11: slots.claude.warm: "few" is not a whole number; write a whole number from 0 to 10000',
      "10:5: slots.claude.concurrency: this key is already written at line 9; keep one of them",
      '11:3: slots["my slot"]: this cannot be the name of a slot; take up to 64 letters, digits, dots, dashes and underscores, a letter or digit first',
      '12:14: slots["my slot"].command: "run it" is not a list; write a list, such as [my-agent, --acp]',
      "13:3: slots.empty: it names nothing to run; write command, agent, adapter, module, hall or demo: true",
      '14:17: limits.line: "1KiB" is too small; write 64KiB or more',
      '14:32: limits.clients: "none" is not a whole number; write a whole number from 1 to 100000',
    ]);
  });

  it("begins each line with the file, as terminals make links of it", () => {
    expect(() => read("slots: { a: {} }")).toThrow(
      "/srv/hall.yml:1:10: slots.a: it names nothing to run; write command, agent, adapter, module, hall or demo: true",
    );
  });

  it("is cut to what fits on a few screens, while the error has all", () => {
    const many = Array.from({ length: 70 }, (_, index) => `key${index}: 1`).join("\n");
    const shown = faults(`slots: { a: { demo: true } }\n${many}\n`);
    expect(shown).toHaveLength(51);
    expect(shown.at(-1)).toBe("and 20 more");
  });

  it("leaves out a place that there is none of", () => {
    expect(showFault({ file: "/a.yml", path: "", message: "it is gone" })).toBe("/a.yml: it is gone");
  });

  it("is there for programs too, as faults with line and column", () => {
    const error = new RosterError([
      { file: "/a.yml", line: 2, column: 3, path: "slots", message: "what; todo" },
    ]);
    expect(error.faults).toEqual([
      { file: "/a.yml", line: 2, column: 3, path: "slots", message: "what; todo" },
    ]);
    expect(error.message).toBe("/a.yml:2:3: slots: what; todo");
  });
});

describe("what is not YAML 1.2", () => {
  it.each([
    ["a tab", "slots:\n\ta: 1\n", "2:1: a tab indents this line; YAML is indented with spaces"],
    [
      "an open quote",
      'slots: "a\n',
      "2:1: a quote or bracket that closes, a comma, a colon, or the space after it is missing here; write it",
    ],
    [
      "an open bracket",
      "slots: [a\n",
      "2:1: the indentation is wrong, or a bracket above is not closed; the keys of one map begin in the same column",
    ],
    [
      "a second document",
      "slots: {}\n---\nslots: {}\n",
      "2:1: a second document begins here; a roster is one document, take the --- out",
    ],
    [
      "an alias of nothing",
      "slots: *a\n",
      "1:8: slots: an alias (*name) needs its anchor (&name) before it, and not around it; a text that begins with * or & goes in quotes",
    ],
    [
      "an unknown tag",
      "slots: !a {}\n",
      "1:8: the tag (!name) is not known here; take it out, or put the text in quotes",
    ],
    [
      "another version",
      "%YAML 1.1\n---\nslots: {}\n",
      "1:1: the file says that it is YAML 1.1; a roster is YAML 1.2, take that line out",
    ],
    [
      "a variable between braces",
      `slots: { a: \${X} }\n`,
      `1:14: this does not belong here; a text with { } [ ] , # : & * or \${…} in it goes in quotes`,
    ],
  ])("is told at its place: %s", (_, text, fault) => {
    expect(faults(text)).toEqual([fault]);
  });

  it("is told on every line that has some", () => {
    expect(faults("a: b: c\nd: @e\n").map((fault) => fault.slice(0, 2))).toEqual(["1:", "2:"]);
  });

  it("is not repeated in the message, since it may be a key or a password", () => {
    for (const text of [
      "a: *hunter2",
      "a: !hunter2 b",
      'a: "\\hunter2"',
      "a: |hunter2\n b",
      "a: `hunter2`",
      "a: 'hunter2",
    ]) {
      expect(faults(text)).not.toEqual([]);
      expect(faults(text).join("\n")).not.toContain("hunter2");
    }
  });

  it("is refused when it has no end: aliases of aliases, or brackets in brackets", () => {
    const lines = Array.from(
      { length: 9 },
      (_, index) => `a${index + 1}: &a${index + 1} [${`*a${index},`.repeat(9)}]`,
    );
    expect(faults(["a0: &a0 [x]", ...lines].join("\n"))).toEqual([
      "6:9: the file holds more than 100000 values with its aliases written out; use fewer of them",
    ]);
    expect(faults("a: &a [*a]").join("\n")).toContain(
      "needs its anchor (&name) before it, and not around it",
    );
    const tooDeep = "the maps and lists lie too deep inside one another; flatten them";
    expect(faults(`a: ${"[".repeat(99)}${"]".repeat(99)}`).join("\n")).toContain(tooDeep);
    expect(faults("[".repeat(200_000)).join("\n")).toContain(tooDeep);
  });
});

describe("keys", () => {
  it.each([
    ["mcpServers: []", "slots.a.mcpServers: this key is not known; did you mean mcp_servers?"],
    ["idle: 3", "slots.a.idle: this key is not known; did you mean idle_timeout?"],
    ["timeout: 3", "slots.a.timeout: this key is not known; it belongs under permission"],
    ["cancel_grace: 3", "slots.a.cancel_grace: this key is not known; it belongs at the top"],
    ["permission: { timeot: 3 }", "slots.a.permission.timeot: this key is not known; did you mean timeout?"],
    ["permission: { zzz: 3 }", "slots.a.permission.zzz: this key is not known; known here: timeout"],
    ["? [x]\n    : 1", "slots.a: a key must be text, not a map or a list; put it in quotes"],
    ["<<: { args: [] }", 'slots.a["<<"]: YAML 1.2 has no merge key; write out the keys that it should bring'],
    ["__proto__: {}", "slots.a.__proto__: this cannot be a key; take it out"],
    ["constructor: {}", "slots.a.constructor: this key is not known; known here: "],
    [": 3", "slots.a: a key is missing before the colon; write it"],
    ['"demo": off', "slots.a.demo: this key is already written at line 3; keep one of them"],
    [
      "isolation: slot\n    cancel_tools: on",
      "slots.a.cancel_tools: it cannot go with isolation: slot; take one of the two keys out",
    ],
    ["isolation: slots", 'slots.a.isolation: "slots" is not known here; did you mean slot?'],
    [
      "turn_timeout: soon",
      'slots.a.turn_timeout: "soon" is not a duration; write 500ms, 5s, 2m, 1h or a number of seconds, or never',
    ],
  ])("of a slot: %s", (line, fault) => {
    const [first, ...others] = faultsOfSlot(line);
    expect(first?.slice(0, fault.length)).toBe(fault);
    expect(others).toEqual([]);
  });

  it.each([
    ["agent: x", "agent: this key is not known; it belongs in a slot"],
    ["limit: 3", "limit: this key is not known; it belongs under queue"],
    ["listen: { tpc: 3 }", "listen.tpc: this key is not known; did you mean tcp?"],
    ["slots: {}", "slots: this key is already written at line 1; keep one of them"],
  ])("at the top: %s", (line, fault) => {
    expect(faultsOfTop(line)).toEqual([fault]);
  });
});

describe("values", () => {
  it.each([
    ["title: ''", 'slots.a.title: "" says nothing; write some text'],
    ["title:", "slots.a.title: it has no value; write text"],
    ["title: 3", "slots.a.title: 3 is not text; put it in quotes"],
    ["title: [x]", "slots.a.title: a list is not text; write text"],
    ['title: "a\\0b"', 'slots.a.title: "a\\u0000b" has a NUL character in it; take that out'],
    ["args: --x", 'slots.a.args: "--x" is not a list; write a list, such as [--model, large]'],
    ["args: [true]", "slots.a.args[0]: true is not text; put it in quotes"],
    ["args: { x: y }", "slots.a.args: a map is not a list; write a list, such as [--model, large]"],
    ["env: [A=b]", "slots.a.env: a list is not a map; write its keys, each as key: value"],
    ["env: { A=b: c }", 'slots.a.env["A=b"]: this cannot be the name of a variable; take another'],
    [
      "env: { HALL_PROCESS: x }",
      "slots.a.env.HALL_PROCESS: this is a variable that the hall sets itself; take it out",
    ],
    ["env_inherit: [A=b]", 'slots.a.env_inherit[0]: "A=b" cannot be the name of a variable; take another'],
    ["env_inherit: ['']", 'slots.a.env_inherit[0]: "" says nothing; write some text'],
    [
      "cwd: ~/work",
      'slots.a.cwd: "~/work" begins with ~, which only a shell understands; write ${' + "HOME} instead",
    ],
    ["concurrency: 0", "slots.a.concurrency: 0 is out of range; write a whole number from 1 to 10000"],
    [
      "concurrency: 1.5",
      "slots.a.concurrency: 1.5 is not a whole number; write a whole number from 1 to 10000",
    ],
    [
      "concurrency: many",
      'slots.a.concurrency: "many" is not a whole number; write a whole number from 1 to 10000',
    ],
    [
      "idle_timeout: 0",
      "slots.a.idle_timeout: 0 is no time at all; write 500ms, 5s, 2m, 1h or a number of seconds, or never",
    ],
    [
      "idle_timeout: 30 min",
      'slots.a.idle_timeout: "30 min" is not a duration; write 500ms, 5s, 2m, 1h or a number of seconds, or never',
    ],
    [
      "init_timeout: never",
      'slots.a.init_timeout: "never" is not possible here; write 500ms, 5s, 2m, 1h or a number of seconds',
    ],
    [
      "init_timeout: -1",
      "slots.a.init_timeout: -1 is not a duration; write 500ms, 5s, 2m, 1h or a number of seconds",
    ],
    [
      "init_timeout: .inf",
      "slots.a.init_timeout: .inf is not a duration; write 500ms, 5s, 2m, 1h or a number of seconds",
    ],
    [
      "init_timeout: 1e30",
      "slots.a.init_timeout: 1e30 is not a duration; write 500ms, 5s, 2m, 1h or a number of seconds",
    ],
    ["on_disconnect: cancle", 'slots.a.on_disconnect: "cancle" is not known here; did you mean cancel?'],
    ["restore: 3", "slots.a.restore: 3 is not known here; write transcript or fresh"],
    [
      "cancel_tools: maybe",
      'slots.a.cancel_tools: "maybe" is neither on nor off; write on or off (or true, false, yes, no)',
    ],
    ["fs: clients", 'slots.a.fs: "clients" is not known here; did you mean client?'],
    ["terminal: 1", "slots.a.terminal: 1 is not known here; write on, client or off"],
    [
      "client_capabilities: [x]",
      "slots.a.client_capabilities: a list is not a map; write its keys, each as key: value",
    ],
    ["permission: 5m", 'slots.a.permission: "5m" is not a map; write its keys, each as key: value'],
    [
      "permission: { timeout: 0s }",
      'slots.a.permission.timeout: "0s" is no time at all; write 500ms, 5s, 2m, 1h or a number of seconds, or never',
    ],
    ["mcp_servers: [x]", 'slots.a.mcp_servers[0]: "x" is not a map; write its keys, each as key: value'],
    ["mcp_servers: [{ name: x }]", "slots.a.mcp_servers[0].command: it is missing; write the program to run"],
    [
      "mcp_servers: [{ name: x, command: y, args: [1] }]",
      "slots.a.mcp_servers[0].args[0]: 1 is not text; put it in quotes",
    ],
    [
      "mcp_servers: [{ name: x, type: htp, url: y }]",
      'slots.a.mcp_servers[0].type: "htp" is not a kind of MCP server; write http, sse or stdio',
    ],
    [
      "mcp_servers: [{ name: x, type: http, url: y }]",
      'slots.a.mcp_servers[0].url: "y" is not a URL; write http://… or https://…',
    ],
    ["mcp_servers: [{ name: x, type: http }]", "slots.a.mcp_servers[0].url: it is missing; write text"],
    [
      "mcp_servers: [{ name: x, command: y, url: z }]",
      "slots.a.mcp_servers[0].url: this key is not known; it goes with another type of MCP server; write type: http, sse or stdio",
    ],
    [
      "mcp_servers: [{ name: x, type: sse, url: 'http://y', headers: { A: b } }]",
      "slots.a.mcp_servers[0].headers: a map is not a list; write a list, such as [{ name: Authorization, value: abc }]",
    ],
    [
      "mcp_servers: [{ name: x, command: y }, { name: x, command: z }]",
      'slots.a.mcp_servers[1].name: "x" is already the name of an MCP server of this slot; take another',
    ],
    [
      "mcp_servers: [{ name: x, command: y, env: [{ name: A=b, value: c }] }]",
      'slots.a.mcp_servers[0].env[0].name: "A=b" cannot be the name of a variable; take another',
    ],
  ])("of a slot: %s", (line, fault) => {
    expect(faultsOfSlot(line)).toEqual([fault]);
  });

  it.each([
    ["listen: 7420", "listen: 7420 is not a map; write its keys, each as key: value"],
    [
      "listen: { tcp: true }",
      "listen.tcp: true is not an address; write host:port, such as 127.0.0.1:7420, a port alone, or false",
    ],
    [
      "listen: { tcp: 127.0.0.1 }",
      'listen.tcp: "127.0.0.1" is not an address; write host:port, such as 127.0.0.1:7420, a port alone, or false',
    ],
    [
      "listen: { tcp: ':7420' }",
      'listen.tcp: ":7420" names no host; write host:port, such as 127.0.0.1:7420, a port alone, or false',
    ],
    [
      "listen: { tcp: '::1:7420' }",
      'listen.tcp: "::1:7420" is not an address; write "[::1]:7420", with the host in brackets',
    ],
    [
      "listen: { http: 0.0.0.0:7421 }",
      'listen.http: "0.0.0.0:7421" can be reached from other machines, and without TLS everything can be read on the way; write listen.tls, or insecure: true where the network is your own, or 127.0.0.1 as the host',
    ],
    [
      "listen: { tcp: 'a b:1' }",
      'listen.tcp: "a b:1" is not an address; write host:port, such as 127.0.0.1:7420, a port alone, or false',
    ],
    ["listen: { tls: { key: k } }", "listen.tls.cert: it is missing; write a path"],
    [
      "http: { origins: x }",
      'http.origins: "x" is not a list; write a list, such as [https://hall.example.com]',
    ],
    [
      "tokens_file: ~/tokens.yml",
      'tokens_file: "~/tokens.yml" begins with ~, which only a shell understands; write ${HOME} instead',
    ],
    ["listen: { tcp: 70000 }", "listen.tcp: 70000 has no such port; ports go up to 65535; 0 is any free one"],
    ["state: 3", "state: 3 is not text; put it in quotes"],
    ["durability: disk", 'durability: "disk" is not known here; write process or power'],
    [
      "trust_loopback: 1",
      "trust_loopback: 1 is neither on nor off; write on or off (or true, false, yes, no)",
    ],
    [
      "cancel_grace: never",
      'cancel_grace: "never" is not possible here; write 500ms, 5s, 2m, 1h or a number of seconds; 0 for never',
    ],
    ["queue: { limit: -1 }", "queue.limit: -1 is out of range; write a whole number from 0 to 10000"],
    [
      "limits: { line: 32MB }",
      'limits.line: "32MB" is not a size; write 64KiB, 32MiB, 1GiB or a number of bytes',
    ],
    ["limits: { line: 1GiB }", 'limits.line: "1GiB" is too large; write 256MiB or less'],
    ["limits: { processes: 0 }", "limits.processes: 0 is out of range; write a whole number from 1 to 10000"],
    ["log: { level: warning }", 'log.level: "warning" is not known here; did you mean warn?'],
    ["log: { format: prety }", 'log.format: "prety" is not known here; did you mean pretty?'],
  ])("at the top: %s", (line, fault) => {
    expect(faultsOfTop(line)).toEqual([fault]);
  });

  it("listen on no address that others can reach without TLS, however it is written", () => {
    for (const host of [
      "0.0.0.0",
      "[::]",
      "192.168.1.2",
      "example.com",
      "[::ffff:127.0.0.1]",
      "[::ffff:7f00:1]",
      "127.1",
      "1270.0.1",
      "localhost.evil",
      "[::1%lo]",
      "[::2]",
    ]) {
      expect(faultsOfTop(`listen: { tcp: "${host}:7420" }`).join()).toContain(
        "can be reached from other machines",
      );
    }
  });

  it("of env and MCP env and headers are never shown, not even as they are written", () => {
    const shown = [
      faultsOfSlot("env: { KEY: 314159 }"),
      faultsOfSlot("mcp_servers: [{ name: x, command: y, env: [{ name: A, value: 314159 }] }]"),
      faultsOfSlot(
        "mcp_servers: [{ name: x, type: http, url: 'http://y', headers: [{ name: A, value: 314159 }] }]",
      ),
    ];
    for (const fault of shown) {
      expect(fault).toEqual([expect.stringMatching(/: what is written is not text; put it in quotes$/)]);
    }
  });

  it("are shown in part when they are long", () => {
    const [fault] = faultsOfTop(`log: { level: ${"x".repeat(500)} }`);
    expect(fault).toContain(`"${"x".repeat(60)}…"`);
  });
});

describe("a slot", () => {
  it.each([
    [
      "nothing to run",
      "a: {}",
      "it names nothing to run; write command, agent, adapter, module, hall or demo: true",
    ],
    [
      "the demo switched off",
      "a: { demo: off }",
      "it names nothing to run; write command, agent, adapter, module, hall or demo: true",
    ],
    [
      "two things to run",
      "a: { demo: on, agent: x }",
      "it names several things to run: agent, demo; keep one of them",
    ],
    [
      "three things to run",
      "a: { demo: on, agent: x, command: [y] }",
      "it names several things to run: agent, command, demo; keep one of them",
    ],
    [
      "a number that lets nothing run",
      "0a: { demo: on }",
      "a slot whose name begins with 0 could run nothing; take another name",
    ],
  ])("has %s", (_, slot, fault) => {
    expect(faults(`slots:\n  ${slot}\n`)).toEqual([expect.stringContaining(fault)]);
  });

  it("whose command is an empty list lacks the program", () => {
    expect(faults("slots: { a: { command: [] } }")).toEqual([
      "1:15: slots.a.command[0]: it is missing; write the program to run",
    ]);
  });

  it("cannot have a name that a shell or a path would trip over", () => {
    for (const name of ['"a b"', "a/b", "../x", "-a", ".a", '"a\\nb"', "x".repeat(65)]) {
      expect(faults(`slots:\n  ${name}: { demo: true }\n`).join()).toContain(
        "this cannot be the name of a slot",
      );
    }
  });

  it("names an agent that is known, or is told which ones there are", () => {
    const fault = (agent: string) =>
      faults(`slots: { a: { agent: ${agent} } }`, {}, { knownAgents: ["claude-acp", "codex-acp"] });
    expect(fault("codex-acp")).toEqual([]);
    expect(fault("zzz")).toEqual([
      '1:22: slots.a.agent: "zzz" is not the id of a known agent; known are claude-acp, codex-acp',
    ]);
  });
});

describe("a roster without a slot", () => {
  it.each([
    ["", "1:1: slots"],
    ["# nothing\n", "1:1: slots"],
    ["slots:\n", "1:1: slots"],
    ["slots: {}\n", "1:1: slots"],
    ["state: x\n", "1:1: slots"],
  ])("is told so: %j", (text, place) => {
    expect(faults(text)).toEqual([
      `${place}: there is no slot; write at least one under slots, such as demo: { demo: true }`,
    ]);
  });

  it("is told what it is instead", () => {
    expect(faults("- a\n")).toEqual(["1:1: a list is not a map; write its keys, each as key: value"]);
    expect(faults("slots: [a]\n")).toEqual([
      "1:8: slots: a list is not a map; write its keys, each as key: value",
    ]);
    expect(faults("slots: { a: 5 }\n")).toContain(
      "1:13: slots.a: 5 is not a map; write its keys, each as key: value",
    );
  });
});
