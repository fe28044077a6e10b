import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { LaunchParts } from "../../src/agents/launch.ts";
import { launchOf } from "../../src/agents/native.ts";
import { shellCommand } from "../../src/agents/shell-command.ts";
import { exitOf, Workshop } from "./workshop.ts";

const ROOT = resolve(import.meta.dirname, "..", "..");
const SHEBANG = "#!/bin/sh\n";
const SSH = { program: "ssh", args: ["host"], kind: "ssh" } as const;

describe("a launch", () => {
  let workshop: Workshop;
  let bin: string;
  let node: string;
  beforeEach(() => {
    workshop = new Workshop();
    bin = join(workshop.folder, "bin");
    node = join(workshop.folder, "node", "node");
    for (const folder of ["bin", "node"]) mkdirSync(join(workshop.folder, folder));
  });
  afterEach(() => workshop.close());

  const parts = (more: Partial<LaunchParts> = {}): LaunchParts => ({
    slot: "bench",
    path: bin,
    cwd: workshop.folder,
    folder: "/etc/hall",
    beside: [],
    node,
    ...more,
  });
  const agent = (id: string) => ({ kind: "agent", id }) as const;

  describe("of a command", () => {
    const command = (...words: string[]) => ({ kind: "command", command: words }) as const;

    it("is the command with the slot's arguments after its own", () => {
      expect(launchOf(command("agent", "--acp"), parts({ args: ["-v"] }))).toEqual({
        program: "agent",
        args: ["--acp", "-v"],
        env: {},
      });
    });

    it("takes a relative path from the roster's folder, never from the session's", () => {
      expect(launchOf(command("./agent.sh"), parts()).program).toBe("/etc/hall/agent.sh");
      expect(launchOf(command("bin/agent"), parts()).program).toBe("/etc/hall/bin/agent");
      expect(launchOf(command("/opt/agent"), parts()).program).toBe("/opt/agent");
    });

    it("is as it is written where a launcher leads elsewhere", () => {
      const remote = parts({ launcher: SSH, args: ["-v"] });
      expect(launchOf(command("./agent.sh", "--acp"), remote)).toEqual({
        program: "./agent.sh",
        args: ["--acp", "-v"],
        env: {},
      });
    });
  });

  describe("of the demo agent", () => {
    it("is this Node with the built program, from the sources too", () => {
      const { program, args } = launchOf({ kind: "demo" }, parts({ args: ["-x"] }));
      expect(program).toBe(node);
      expect(args).toEqual([join(ROOT, "dist", "agents", "demo", "main.js"), "-x"]);
    });
  });

  describe("of a known agent", () => {
    it("is the program on PATH when it is there, with a Node that its first line finds", () => {
      const gemini = workshop.script("bin/gemini", SHEBANG);
      expect(launchOf(agent("gemini"), parts({ args: ["-d"] }))).toEqual({
        program: gemini,
        args: ["--acp", "-d"],
        env: { PATH: `${bin}:${dirname(node)}` },
      });
      workshop.script("bin/node", SHEBANG);
      expect(launchOf(agent("gemini"), parts()).env).toEqual({});
    });

    it("is the one beside the hall when PATH has none", () => {
      mkdirSync(join(workshop.folder, "beside"));
      const beside = [join(workshop.folder, "beside")];
      const own = workshop.script("beside/gemini", SHEBANG);
      expect(launchOf(agent("gemini"), parts({ beside })).program).toBe(own);
      const onPath = workshop.script("bin/gemini", SHEBANG);
      expect(launchOf(agent("gemini"), parts({ beside })).program).toBe(onPath);
    });

    it("is never one in the session's folder", () => {
      mkdirSync(join(workshop.folder, "node_modules", ".bin"), { recursive: true });
      workshop.script("node_modules/.bin/gemini", SHEBANG);
      workshop.script("gemini", SHEBANG);
      const npx = workshop.script("bin/npx", SHEBANG);
      expect(launchOf(agent("gemini"), parts({ path: `:.:${bin}` })).program).toBe(npx);
    });

    it("is no other program of the same name, where there are others", () => {
      const npx = workshop.script("bin/npx", SHEBANG);
      workshop.script("bin/copilot", SHEBANG);
      expect(launchOf(agent("copilot"), parts()).program).toBe(npx);
      const home = join(workshop.folder, "lib", "node_modules", "@github", "copilot");
      mkdirSync(home, { recursive: true });
      mkdirSync(join(workshop.folder, "npm"));
      const real = workshop.script("lib/node_modules/@github/copilot/main.js", SHEBANG);
      symlinkSync(real, join(workshop.folder, "npm", "copilot"));
      const path = `${bin}:${join(workshop.folder, "npm")}`;
      expect(launchOf(agent("copilot"), parts({ path })).program).toBe(
        join(workshop.folder, "npm", "copilot"),
      );
    });

    it("is fetched in its pinned version, and told so", () => {
      const npx = workshop.script("bin/npx", SHEBANG);
      const uvx = workshop.script("bin/uvx", SHEBANG);
      workshop.script("bin/node", SHEBANG);
      const droid = launchOf(agent("droid"), parts());
      expect(droid).toMatchObject({ program: npx, startIn: "/", fetches: "droid@0.215.0" });
      expect(droid.env).toMatchObject({ DROID_DISABLE_AUTO_UPDATE: "true" });
      expect(launchOf(agent("fast-agent"), parts())).toEqual({
        program: uvx,
        args: ["fast-agent-acp==0.10.1", "-x"],
        env: {},
        fetches: "fast-agent-acp==0.10.1",
      });
      expect(launchOf(agent("deepagents"), parts())).toMatchObject({
        args: ["-y", "deepagents-acp@0.1.0"],
        startIn: "/",
      });
      expect(launchOf(agent("cline"), parts()).daemon).toBe("--cline-hub-daemon");
    });

    it("finds npx beside Node when PATH has neither", () => {
      const npx = workshop.script("node/npx", SHEBANG);
      const launch = launchOf(agent("pi"), parts());
      expect(launch.program).toBe(npx);
      expect(launch.env.PATH).toBe(`${bin}:${dirname(npx)}`);
    });

    it("is what the launcher's end has, whatever is here", () => {
      workshop.script("bin/gemini", SHEBANG);
      const gemini = launchOf(agent("gemini"), parts({ launcher: SSH }));
      expect(gemini).toMatchObject({ program: "npx", env: {}, startIn: "/" });
      expect(gemini.fetches).toBe("@google/gemini-cli@0.61.0");
      expect(launchOf(agent("goose"), parts({ launcher: SSH }))).toMatchObject({
        program: "goose",
        args: ["acp"],
      });
      expect(launchOf(agent("fast-agent"), parts({ launcher: SSH })).program).toBe("uvx");
    });

    it("is what is here behind a launcher that stays here", () => {
      const gemini = workshop.script("bin/gemini", SHEBANG);
      const nice = { program: "nice", args: [], kind: "here" } as const;
      expect(launchOf(agent("gemini"), parts({ launcher: nice })).program).toBe(gemini);
    });

    it("cannot be without its runner, its program, or a name that is known", () => {
      const none = parts({ path: "/nowhere" });
      expect(() => launchOf(agent("gemini"), none)).toThrow(
        /There is no npx on PATH \(\/nowhere:.*install npm/,
      );
      expect(() => launchOf(agent("minion-code"), none)).toThrow(
        /There is no uvx on PATH \(\/nowhere\); install uv/,
      );
      expect(() => launchOf(agent("goose"), none)).toThrow(/install it \(https:\/\/block/);
      expect(() => launchOf(agent("gemni"), none)).toThrow(/knows no agent "gemni"; it knows claude-acp, /);
    });
  });

  /** A stand-in for npx: says where it runs and with what, then does what `npx -c` does, with what npx adds. */
  const NPX = `#!/bin/sh
    echo "npx in $(pwd): $1 $2 $3" >&2
    export npm_config_call="$4" npm_config_package=x npm_config_yes=true INIT_CWD=$(pwd)
    exec sh -c "$4"`;

  it("keeps npx out of the session's folder, and puts the agent into it", async () => {
    const cwd = join(workshop.folder, "it's a $(touch no) folder");
    mkdirSync(cwd);
    workshop.script("bin/npx", NPX);
    const path = `${bin}:${process.env.PATH}`;
    const launch = launchOf(agent("pi"), parts({ cwd, path, args: ["a b", "$HOME", "'"] }));
    workshop.script(
      "bin/pi-acp",
      `#!/bin/sh\nfor each in "$(pwd)" "$@"; do echo "$each" >&2; done; env | grep -i npm_config >&2; exit 0`,
    );
    const process_ = workshop.spawn({ ...launch, env: { PATH: path }, cwd });
    await exitOf(process_);
    await process_.stop();
    expect(workshop.stderr).toEqual(["npx in /: -y --package=pi-acp@0.0.34 -c", cwd, "a b", "$HOME", "'"]);
  });
});

describe("a command for a shell", () => {
  it("gives each word to the program as it is", () => {
    const word = fc.string({ unit: "binary" }).filter((text) => !/[\0\ud800-\udfff]/.test(text));
    fc.assert(
      fc.property(fc.array(word, { maxLength: 5 }), (words) => {
        const command = shellCommand([
          process.execPath,
          "-e",
          "console.log(JSON.stringify(process.argv.slice(1)))",
          "--",
          ...words,
        ]);
        expect(JSON.parse(execFileSync("/bin/sh", ["-c", command], { encoding: "utf8" }))).toEqual(words);
      }),
      { numRuns: 15 },
    );
  });
});
