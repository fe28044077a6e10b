import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ProcFolder } from "../../src/agents/proc-folder.ts";
import { PsListing } from "../../src/agents/ps-listing.ts";
import { HandClock } from "../../src/ground/clock.ts";
import { Ear, exitOf, kill, runs, Workshop } from "./workshop.ts";

const SHORT = { close: 50, terminate: 50 };
const LONG = { close: 60_000, terminate: 60_000 };

describe("an agent process", () => {
  let workshop: Workshop;
  beforeEach(() => {
    workshop = new Workshop();
  });
  afterEach(async () => {
    await workshop.close();
    expect(workshop.troubles).toEqual([]);
  });

  it("carries its mark, made of the state's id and a number that nobody had before", async () => {
    const first = workshop.shell('echo "$HALL_PROCESS"');
    const second = workshop.shell('echo "$HALL_PROCESS"');
    await Promise.all([exitOf(first.agent), exitOf(second.agent)]);
    expect(first.ear.text).toBe(`${workshop.state}.1\n`);
    expect(second.ear.text).toBe(`${workshop.state}.2\n`);
    expect(second.agent.mark).toBe(`${workshop.state}.2`);
    await Promise.all([first.agent.stop(), second.agent.stop()]);
  });

  it("tells of its exit when all that it wrote has been delivered, to late askers too", async () => {
    const { agent, ear } = workshop.node(
      'process.stdout.write("x".repeat(3_000_000)); process.exitCode = 7;',
    );
    expect(await exitOf(agent)).toEqual({ code: 7, signal: null });
    expect(ear.bytes).toBe(3_000_000);
    expect(ear.over).toBe(true);
    expect(await exitOf(agent)).toEqual({ code: 7, signal: null });
    await agent.stop();
  });

  it("does not tell of its exit while its reader, who holds it back, has not had all of it", async () => {
    const clock = new HandClock();
    const agent = workshop.spawn({ program: "/bin/sh", args: ["-c", "printf '%200000s' x; exit 0"] }, clock);
    let bytes = 0;
    agent.transport.start({
      chunk: (chunk) => {
        bytes += chunk.length;
        agent.transport.pause();
      },
      ended: () => {},
      closed: () => {},
    });
    let toldAt: number | undefined;
    agent.onExit(() => {
      toldAt = bytes;
    });
    while (toldAt === undefined) {
      agent.transport.resume();
      await new Promise((resolve) => setImmediate(resolve));
      for (let look = 0; look < 3; look++) clock.advance(100);
    }
    expect(toldAt).toBe(200_000);
    await agent.stop();
  });

  it("has its last words on stderr, without a newline too, when it tells of its exit", async () => {
    const { agent } = workshop.shell("echo first >&2; printf last >&2; exit 3");
    await exitOf(agent);
    expect(agent.stderrTail()).toEqual(["first", "last"]);
    expect(workshop.stderr).toEqual(["first", "last"]);
    await agent.stop();
  });

  it("leaves no zombie", async () => {
    const { agent } = workshop.shell("exit 0");
    await exitOf(agent);
    expect(workshop.table.find(agent.pid)).toBeUndefined();
    await agent.stop();
  });

  it("tells of its exit though somebody out of reach holds its stdout open, 200 ms later", async () => {
    const clock = new HandClock();
    const { agent, ear } = workshop.shell(
      "env -i setsid sh -c 'echo holder=$$; exec sleep 60' & sleep 0.2; exit 0",
      clock,
    );
    const holder = await ear.hearsNumber("holder");
    let told = false;
    agent.onExit(() => {
      told = true;
    });
    await vi.waitFor(() => expect(agent.exit).toEqual({ code: 0, signal: null }), 20_000);
    clock.advance(199);
    expect(told).toBe(false);
    clock.advance(1);
    expect(told).toBe(true);
    expect(runs(holder)).toBe(true);
    kill(holder);
  });

  it("tells of its exit though somebody out of reach goes on talking on its stdout, 800 ms later", async () => {
    const clock = new HandClock();
    const { agent, ear } = workshop.shell(
      "env -i setsid sh -c 'echo holder=$$; while :; do echo more; sleep 0.01; done' & sleep 0.2; exit 0",
      clock,
    );
    const holder = await ear.hearsNumber("holder");
    let told = false;
    agent.onExit(() => {
      told = true;
    });
    await vi.waitFor(() => expect(agent.exit).toEqual({ code: 0, signal: null }), 20_000);
    for (let looks = 1; looks <= 8; looks++) {
      expect(told).toBe(false);
      const { bytes } = ear;
      await vi.waitFor(() => expect(ear.bytes).toBeGreaterThan(bytes), 20_000);
      clock.advance(100);
    }
    expect(told).toBe(true);
    kill(holder);
  });

  it("never waits for a reader of its stderr, and keeps little of it", async () => {
    const { agent, ear } = workshop.node(`
      const line = Buffer.from("é".repeat(499) + "\\n");
      for (let i = 0; i < 10_000; i++) require("node:fs").writeSync(2, line);
      console.log("written");`);
    await ear.hears("written");
    await exitOf(agent);
    expect(workshop.stderr).toHaveLength(10_000);
    expect(new Set(workshop.stderr)).toEqual(new Set(["é".repeat(499)]));
    expect(agent.stderrTail(1_000_000).join("").length).toBeLessThan(64 * 1024);
    await agent.stop();
  });

  it("is written to after its end without harm", async () => {
    const { agent } = workshop.shell("exec 0<&-; exit 0");
    agent.transport.write(Buffer.alloc(1024 * 1024));
    await exitOf(agent);
    agent.transport.write(Buffer.from("more"));
    await agent.stop();
  });

  it("is stopped by the end of its stdin, without a signal", async () => {
    const { agent, ear } = workshop.shell("trap 'echo signalled' TERM INT; cat; echo bye; exit 4");
    await agent.stop(LONG);
    expect(agent.exit).toEqual({ code: 4, signal: null });
    await exitOf(agent);
    expect(ear.text).toBe("bye\n");
  });

  it("gets SIGTERM when the end of its stdin is not enough", async () => {
    const { agent, ear } = workshop.shell(
      "trap 'echo asked; exit 5' TERM; echo up; while :; do sleep 0.05; done",
    );
    await ear.hears("up");
    await agent.stop({ close: 20, terminate: 60_000 });
    expect(agent.exit).toEqual({ code: 5, signal: null });
  });

  it("gets SIGKILL when it ignores the end of its stdin, SIGINT and SIGTERM", async () => {
    const { agent, ear } = workshop.shell("trap '' INT TERM; echo up; while :; do sleep 0.05; done");
    await ear.hears("up");
    agent.interrupt();
    agent.terminate();
    await agent.stop(SHORT);
    expect(agent.exit).toEqual({ code: null, signal: "SIGKILL" });
  });

  it("passes SIGINT and SIGTERM to its whole process group", async () => {
    const talk = (name: string): string =>
      `process.on("SIGINT", () => console.log("${name}-int")); setInterval(() => {}, 1e6); console.log("${name}-up");`;
    const { agent, ear } = workshop.node(`
      require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(talk("child"))}], { stdio: "inherit" });
      ${talk("parent")}`);
    await Promise.all([ear.hears("child-up"), ear.hears("parent-up")]);
    agent.interrupt();
    await Promise.all([ear.hears("child-int"), ear.hears("parent-int")]);
    agent.terminate();
    expect(await exitOf(agent)).toEqual({ code: null, signal: "SIGTERM" });
    await agent.stop();
  });

  it("takes a command in a session of its own along when it is stopped", async () => {
    const { agent, ear } = workshop.shell(
      "setsid sh -c 'trap \"\" TERM; echo tool=$$; while :; do sleep 0.05; done' & cat",
    );
    const tool = await ear.hearsNumber("tool");
    await agent.stop(SHORT);
    expect(runs(tool)).toBe(false);
  });

  it("takes along, when it ends by itself, what nothing but the mark ties to it", async () => {
    const { agent, ear } = workshop.shell(
      "setsid sh -c '(sh -c \"echo tool=\\$\\$; exec sleep 600\" &)'; read line",
    );
    const tool = await ear.hearsNumber("tool");
    await vi.waitFor(() => expect(workshop.table.find(tool)?.parent).not.toBe(agent.pid), 20_000);
    process.kill(agent.pid, "SIGKILL");
    await vi.waitFor(() => expect(runs(tool)).toBe(false), 20_000);
    await vi.waitFor(() => expect(workshop.ledgerText()).toContain("ended"), 20_000);
  });

  it("takes along what was its descendant before the first signal, mark or not", async () => {
    const { agent, ear } = workshop.shell(
      "env -i setsid sh -c 'echo tool=$$; exec sleep 600' & trap 'exit 0' INT; while :; do sleep 0.05; done",
    );
    const tool = await ear.hearsNumber("tool");
    agent.interrupt();
    await exitOf(agent);
    await agent.stop();
    expect(runs(tool)).toBe(false);
  });

  it("spares the daemon that it is known to share, and what that daemon runs", async () => {
    const daemon = workshop.script("daemon", "#!/bin/sh\nsleep 600 &\necho work=$!\necho daemon=$$\nwait\n");
    const agent = workshop.spawn({
      program: "/bin/sh",
      args: ["-c", `setsid ${daemon} --hub & setsid sh -c 'echo tool=$$; exec sleep 600' & cat`],
      daemon: "--hub",
    });
    const ear = new Ear(agent);
    const [work, hub, tool] = [
      await ear.hearsNumber("work"),
      await ear.hearsNumber("daemon"),
      await ear.hearsNumber("tool"),
    ];
    await agent.stop(SHORT);
    expect([runs(work), runs(hub), runs(tool)]).toEqual([true, true, false]);
    for (const pid of [hub, work]) kill(pid);
    await vi.waitFor(() => expect([runs(work), runs(hub)]).toEqual([false, false]));
  });

  it("is ended at once by a kill that comes while it is being stopped", async () => {
    const { agent, ear } = workshop.shell("trap '' TERM; echo up; while :; do sleep 0.05; done");
    await ear.hears("up");
    const stopped = agent.stop(LONG);
    await agent.kill();
    await stopped;
    expect(agent.exit).toEqual({ code: null, signal: "SIGKILL" });
  });

  it("stays in the ledger until nothing of it is left", async () => {
    const { agent, ear } = workshop.shell(
      "setsid sh -c 'trap \"\" TERM; echo tool=$$; while :; do sleep 0.05; done' & cat",
    );
    await ear.hearsNumber("tool");
    const stopped = agent.stop(LONG);
    await exitOf(agent);
    expect(workshop.ledgerText()).not.toContain("ended");
    await agent.kill();
    await stopped;
    expect(workshop.ledgerText()).toContain("ended");
  });
});

describe("an agent process whose system tells nothing", () => {
  let workshop: Workshop;
  const blind = new ProcFolder("/nowhere");
  beforeEach(() => {
    workshop = new Workshop(blind);
  });
  afterEach(() => workshop.close());

  it("is stopped as far as its group goes; what is not known is said, and stays in the ledger", async () => {
    const { agent, ear } = workshop.shell("trap '' TERM; echo up; while :; do sleep 0.05; done");
    await ear.hears("up");
    const snapshot = agent.toolsSnapshot();
    await agent.endToolsSince(snapshot);
    await agent.stop(SHORT);
    await exitOf(agent);
    expect(agent.exit).toEqual({ code: null, signal: "SIGKILL" });
    expect(workshop.troubles.join(" ")).toContain("could not be listed");
    expect(workshop.ledgerText()).not.toContain("ended");
  });
});

describe("the tools of a cancelled turn", () => {
  let workshop: Workshop;
  beforeEach(() => {
    workshop = new Workshop();
  });
  afterEach(() => workshop.close());

  /** An agent that starts, for each line it reads, a tool in a session of its own, and one in its own session. */
  const AGENT = `
    while read name; do
      setsid sh -c "trap '' TERM; sleep 600 & echo $name-child=\\$!; echo $name=\\$\\$; wait; while :; do sleep 0.05; done" &
      sleep 600 & echo $name-plain=$!
    done`;

  it("are ended with all that came of them; what was there before, or leads no session, is not", async () => {
    const { agent, ear } = workshop.shell(AGENT);
    agent.transport.write(Buffer.from("old\n"));
    const old = await Promise.all(["old", "old-child", "old-plain"].map((name) => ear.hearsNumber(name)));
    const before = agent.toolsSnapshot();
    agent.transport.write(Buffer.from("new\n"));
    const tool = await ear.hearsNumber("new");
    const child = await ear.hearsNumber("new-child");
    const plain = await ear.hearsNumber("new-plain");
    await agent.endToolsSince(before);
    expect([runs(tool), runs(child)]).toEqual([false, false]);
    expect([...old, plain, agent.pid].map(runs)).toEqual([true, true, true, true, true]);
    await agent.kill();
    expect([...old, plain, agent.pid].map(runs)).toEqual([false, false, false, false, false]);
  });
});

describe("an agent process where only ps tells", () => {
  let workshop: Workshop;
  beforeEach(() => {
    workshop = new Workshop(new PsListing());
  });
  afterEach(() => workshop.close());

  it("takes a command in a session of its own along when it is stopped, as long as it can be told", async () => {
    const { agent, ear } = workshop.shell(
      "setsid sh -c 'trap \"\" TERM; echo tool=$$; while :; do sleep 0.05; done' & cat",
    );
    const tool = await ear.hearsNumber("tool");
    const stopped = agent.stop(LONG);
    expect(await exitOf(agent)).toEqual({ code: 0, signal: null });
    expect(runs(tool)).toBe(true);
    await agent.kill();
    await stopped;
    expect(runs(tool)).toBe(false);
    expect(workshop.ledgerText()).toContain('"ended":true');
    expect(workshop.troubles).toEqual([]);
  });
});
