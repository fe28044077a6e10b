import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { childEnvironment, mayInherit } from "../../src/agents/environment.ts";
import { Ear, exitOf, Workshop } from "./workshop.ts";

const HOST = {
  PATH: "/usr/bin:/bin",
  HOME: "/home/ann",
  USER: "ann",
  LANG: "C.UTF-8",
  LC_ALL: "C.UTF-8",
  TERM: "xterm",
  TMPDIR: "/tmp",
  SHELL: "/bin/sh",
  TZ: "UTC",
  XDG_CONFIG_HOME: "/home/ann/.config",
  XDG_RUNTIME_DIR: "/run/user/1000",
  HTTPS_PROXY: "http://proxy:3128",
  no_proxy: "localhost",
  NODE_EXTRA_CA_CERTS: "/etc/ca.pem",
};

const SECRETS = {
  HALL_TOKEN: "t",
  HALL_CONNECT: "tcp://h:1",
  HALL_PROCESS: "other.1",
  AWS_SECRET_ACCESS_KEY: "a",
  OPENAI_API_KEY: "o",
  GITHUB_TOKEN: "g",
  NODE_OPTIONS: "--require ./x.js",
  LD_PRELOAD: "/x.so",
  IS_SANDBOX: "yes",
  LCX: "no locale",
  MY_PATH: "no path",
};

describe("the environment of a child", () => {
  it("is the safe base of the host's, and nothing else of it", () => {
    expect(childEnvironment({ host: { ...HOST, ...SECRETS } })).toEqual(HOST);
  });

  it("has what the slot lets through, what the agent needs, and what the slot sets, which wins", () => {
    const host = { ...HOST, ...SECRETS };
    const agent = { LANG: "agent", NO_UPDATE: "1", OPENAI_API_KEY: "agent" };
    const slot = { OPENAI_API_KEY: "slot", LANG: undefined };
    expect(childEnvironment({ host, inherit: ["GITHUB_TOKEN", "NOT_SET"], agent, slot })).toEqual({
      ...HOST,
      GITHUB_TOKEN: "g",
      LANG: "agent",
      NO_UPDATE: "1",
      OPENAI_API_KEY: "slot",
    });
  });

  it("never has a variable of the hall's from the host, though the slot asks; one that the slot sets it has", () => {
    const inherit = Object.keys(SECRETS).filter((name) => name.startsWith("HALL_"));
    expect(inherit.map(mayInherit)).toEqual([false, false, false]);
    const child = childEnvironment({
      host: { ...HOST, ...SECRETS },
      inherit,
      slot: { HALL_CONNECT: "tcp://o:2" },
    });
    expect(child).toEqual({ ...HOST, HALL_CONNECT: "tcp://o:2" });
  });
});

describe("the environment that a child sees", () => {
  let workshop: Workshop;
  beforeEach(() => {
    workshop = new Workshop();
  });
  afterEach(() => workshop.close());

  it("is exactly what it was given, and the mark, newlines and all", async () => {
    const env = childEnvironment({
      host: { ...HOST, ...SECRETS },
      slot: { KEY: "two\nlines", HALL_PROCESS: "forged" },
    });
    const agent = workshop.spawn({
      program: process.execPath,
      args: ["-e", "console.log(JSON.stringify(process.env))"],
      env,
    });
    const ear = new Ear(agent);
    await exitOf(agent);
    expect(JSON.parse(ear.text)).toEqual({ ...HOST, KEY: "two\nlines", HALL_PROCESS: agent.mark });
    await agent.stop();
  });

  it("does not hide a process from its mark when a value looks like another one", async () => {
    const { agent, ear } = workshop.shell("echo up; cat");
    const other = workshop.spawn({
      program: "/bin/sh",
      args: ["-c", "echo up; cat"],
      env: { PATH: "/usr/bin:/bin", DECOY: `x\nHALL_PROCESS=${agent.mark}`, XHALL_PROCESS: agent.mark },
    });
    const otherEar = new Ear(other);
    await Promise.all([ear.hears("up"), otherEar.hears("up")]);
    const carriers = workshop.table.marked(new Set([agent.mark])).map((row) => row.pid);
    expect(carriers).toContain(agent.pid);
    expect(carriers).not.toContain(other.pid);
    await Promise.all([agent.stop(), other.stop()]);
  });
});
