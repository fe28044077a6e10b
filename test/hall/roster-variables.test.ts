// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is what a roster's variables look like.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expand } from "../../src/hall/roster/variables.ts";
import { faults, faultsOfSlot, faultsOfTop, firstSlot, read } from "./rosters.ts";

const env = { NAME: "value", EMPTY: "", TIME: "5s", NUMBER: "7", SWITCH: "true" };
const expanded = (text: string) => expand(text, env).value;

describe("a text", () => {
  it("has its variables filled in, any number of them, wherever they stand", () => {
    expect(expanded(`\${NAME}`)).toBe("value");
    expect(expanded(`a-\${NAME}-\${NUMBER}\${NAME}.`)).toBe("a-value-7value.");
    expect(expanded(`\${EMPTY}`)).toBe("");
  });

  it("takes a default for a variable that is not set or set to nothing, and only then", () => {
    expect(expanded(`\${NONE:-other}`)).toBe("other");
    expect(expanded(`\${NONE:-}`)).toBe("");
    expect(expanded(`\${EMPTY:-other}`)).toBe("other");
    expect(expanded(`\${NAME:-other}`)).toBe("value");
    expect(expanded(`\${NONE:-a: b, c :- d $ {}`)).toBe("a: b, c :- d $ {");
  });

  it("has a plain ${ where $${ is written", () => {
    expect(expanded(`$\${NAME}`)).toBe(`\${NAME}`);
    expect(expanded(`$$\${NAME} \${NAME}`)).toBe(`$\${NAME} value`);
    expect(expand(`$\${NONE}`, env)).toMatchObject({ unset: [], variable: false });
  });

  it("keeps dollars and braces that are no variable", () => {
    for (const text of ["$NAME", "$", "$$", "{NAME}", "$ {NAME}", "a}b", "$(NAME)"]) {
      expect(expand(text, env)).toEqual({ value: text, found: [], unset: [], variable: false });
    }
  });

  it("is not read again for variables that a variable brings", () => {
    expect(expand(`\${A}`, { A: `\${NAME}`, NAME: "x" }).value).toBe(`\${NAME}`);
  });

  it("knows no variable that merely is a property of objects", () => {
    for (const name of ["constructor", "toString", "__proto__"]) {
      expect(expand(`\${${name}}`, process.env).unset).toEqual([name]);
    }
  });

  it("keeps a variable that is not set as it is written, and names it", () => {
    expect(expand(`\${NAME}/\${NONE}/\${OTHER}`, env)).toMatchObject({
      value: `value/\${NONE}/\${OTHER}`,
      unset: ["NONE", "OTHER"],
      found: ["value"],
    });
  });

  it.each([`\${`, `\${NAME`, `\${}`, `\${ NAME }`, `\${1X}`, `\${A-B}`, `\${A:?b}`, `\${A:-\${B}}`])(
    "with a variable that is none is refused: %s",
    (text) => {
      expect(expand(text, env).fault).toBeDefined();
      expect(faultsOfTop(`state: '${text}'`)).toHaveLength(1);
    },
  );

  it("comes out as it went in when each ${ in it is written as $${", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("$", "{", "}", "a", ":-", "${", "NAME")), (parts) => {
        const text = parts.join("");
        expect(expanded(text.replaceAll("${", () => "$${"))).toBe(text);
      }),
    );
  });
});

describe("a roster's variables", () => {
  it("stand for values of any kind", () => {
    const roster = read(
      `
slots:
  a:
    demo: \${SWITCH}
    concurrency: \${NUMBER}
    idle_timeout: \${TIME}
    fs: \${NONE:-client}
    permission: { timeout: "\${NONE:-never}" }
listen: { tcp: "\${NONE:-127.0.0.1}:\${NUMBER}" }
limits: { line: "\${NONE:-1MiB}" }
`,
      env,
    );
    expect(firstSlot(roster)).toMatchObject({ concurrency: 7, idleTimeout: 5000, fs: "client" });
    expect(firstSlot(roster).permissionTimeout).toBeUndefined();
    expect(roster.listen.tcp).toEqual({ host: "127.0.0.1", port: 7 });
    expect(roster.limits.line).toBe(2 ** 20);
  });

  it("are told by their text in faults, never by their value", () => {
    const secret = { KEY: "hunter2" };
    const wrong = [
      ...["listen: { tcp: '${KEY}:1' }", "log: { level: '${KEY}' }", "cancel_grace: ${KEY}"],
      ...[
        "limits: { line: '${KEY}' }",
        "trust_loopback: ${KEY}",
        "queue: { limit: '${KEY}' }",
        "slots: ${KEY}",
      ],
    ].flatMap((line) => faults(line, secret));
    const wrongSlots = [
      "fs: ${KEY}",
      "restore: ${KEY}",
      "mcp_servers: ['${KEY}']",
      "args: ${KEY}",
      "env: ${KEY}",
    ];
    const all = [...wrong, ...wrongSlots.flatMap((line) => faultsOfSlot(line, secret))];
    all.push(...faults("slots: { a: { agent: '${KEY}' } }", secret, { knownAgents: ["hunter"] }));
    expect(all.filter((fault) => fault.includes("${KEY}"))).toHaveLength(13);
    expect(all.join("\n")).not.toContain("hunter2");
  });

  it("on a command line are warned about, each at its place", () => {
    const { warnings } = read(
      `slots:
  a:
    command: [x, "--key=\${NAME}"]
    args: ["\${NONE:-y}", "$\${NAME}"]
    env: { KEY: "\${NAME}" }
    mcp_servers: [{ name: m, command: "\${NAME}", args: ["\${NAME}"], env: [{ name: A, value: "\${NAME}" }] }]
`,
      env,
    );
    expect(warnings.map(({ line, column, path }) => [line, column, path])).toEqual([
      [3, 18, "slots.a.command[1]"],
      [4, 12, "slots.a.args[0]"],
      [6, 39, "slots.a.mcp_servers[0].command"],
      [6, 57, "slots.a.mcp_servers[0].args[0]"],
    ]);
    expect(warnings[0]?.message).toBe(
      `"--key=\${NAME}" puts a variable on a command line, which every user of the machine can read; if it is a secret, hand it over in env`,
    );
  });
});

describe("a variable that is not set", () => {
  it("makes its slot unavailable, which says why, and no other", () => {
    const { slots } = read(
      `slots:
  a:
    agent: \${AGENT}
    title: Title
    idle_timeout: \${IDLE}
    env: { KEY: "\${KEY} \${OTHER}" }
  b: { demo: true }
`,
      {},
      { knownAgents: ["claude-acp"] },
    );
    expect(slots.map(({ unavailable }) => unavailable)).toEqual([
      "Not set in the hall's environment: AGENT (agent, line 3), IDLE (idle_timeout, line 5), KEY and OTHER (env.KEY, line 6); set it, or write a default.",
      undefined,
    ]);
    expect(slots[0]).toMatchObject({
      title: "Title",
      run: { kind: "agent", id: `\${AGENT}` },
      idleTimeout: 1_800_000,
      env: { KEY: `\${KEY} \${OTHER}` },
    });
  });

  it("makes its slot unavailable whatever it would have been", () => {
    const lines = [
      "concurrency: ${X}",
      "on_disconnect: ${X}",
      "cancel_tools: ${X}",
      "terminal: ${X}",
      "cwd: ~/${X}",
      "client_capabilities: { a: ['${X}'] }",
      "permission: { timeout: '${X}' }",
      "mcp_servers: [{ name: a, type: '${X}', url: b }]",
      "mcp_servers: [{ name: a, type: http, url: '${X}' }]",
    ];
    for (const line of lines) {
      const roster = read(
        `slots: { b: { demo: true }, a: { demo: true, ${line.replace(/: (\S+)$/, ": '$1'")} } }`,
      );
      expect(roster.slots[1]?.unavailable).toContain("Not set in the hall's environment: X");
    }
    expect(firstSlot(read("slots: { a: { demo: '${X}' } }")).unavailable).toContain("X (demo, line 1)");
    expect(firstSlot(read("slots: { a: { command: ['${X}'] } }")).unavailable).toContain(
      "X (command[0], line 1)",
    );
  });

  it("does not hide what is wrong without it", () => {
    expect(faultsOfSlot("env: ${X}")).toEqual([
      `slots.a.env: "\${X}" is not a map; write its keys, each as key: value`,
    ]);
    expect(faultsOfSlot("args: ['${X}', 3]")).toEqual(["slots.a.args[1]: 3 is not text; put it in quotes"]);
    expect(faultsOfSlot("isolation: slot\n    cancel_tools: on\n    args: ['${X}']")).toHaveLength(1);
  });

  it("is an error that names it anywhere else", () => {
    expect(faultsOfTop("log: { level: '${LEVEL}' }")).toEqual([
      `log.level: "\${LEVEL}" needs LEVEL in the environment, where it is not set; set it, or write a default: \${LEVEL:-default}`,
    ]);
    for (const line of [
      "state: ${X}",
      "listen: { tcp: '${X}' }",
      "permission: { timeout: '${X}' }",
      "cancel_grace: ${X}",
    ]) {
      expect(faultsOfTop(line)).toEqual([expect.stringContaining("needs X in the environment")]);
    }
    expect(faults("slots: { a: '${X}' }")).toEqual([expect.stringContaining('slots.a: "${X}" needs X')]);
  });
});

describe("a roster's secrets", () => {
  it("are what comes from the environment, and all values of env and of MCP env and headers", () => {
    const roster = read(
      `
state: \${PLACE}
slots:
  a:
    command: [x, "--token=\${ARG}"]
    env: { ONE: literal, TWO: "x \${KEY} y", DEFAULT: "\${NONE:-standing in}" }
    mcp_servers:
      - { name: m, command: c, env: [{ name: A, value: of-mcp }] }
      - { name: n, type: http, url: "http://x/\${URL}", headers: [{ name: A, value: "Bearer \${KEY}" }] }
`,
      { PLACE: "/a/place", ARG: "argument", KEY: "the key", URL: "in the url" },
    );
    expect(new Set(roster.secrets)).toEqual(
      new Set([
        ...[
          "/a/place",
          "argument",
          "the key",
          "in the url",
          "literal",
          "x the key y",
          "standing in",
          "of-mcp",
        ],
        "Bearer the key",
      ]),
    );
  });

  it("come the longest first, each once, so that masking one leaves no part of another", () => {
    const { secrets } = read(
      "slots: { a: { demo: true, env: { A: abcd, B: abcdef, C: abcd, D: '${X}' } } }",
      { X: "abcdefg" },
    );
    expect(secrets).toEqual(["abcdefg", "abcdef", "abcd"]);
  });

  it("are no words that any text has: less than four characters, or what is not set and stands as it is written", () => {
    expect(read("slots: { a: { demo: true, env: { A: abc, B: '', C: '${UNSET_ONE}' } } }").secrets).toEqual(
      [],
    );
  });
});
