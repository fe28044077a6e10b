import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { gate } from "../doubles/gate.ts";
import { Household } from "./household.ts";

const slots = { first: { ways: {}, title: "The first" }, second: { ways: {} } };

describe("hall serve", () => {
  it("says where it listens, what its slots are, and how to go on", async () => {
    const home = new Household();
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the roster's.
    const keyed = { demo: true, env: { KEY: "${NO_SUCH_KEY}" } };
    const roster = home.roster({ ...slots, keyed }, { listen: { tcp: "127.0.0.1:0" } });
    const hall = await home.serve(roster);
    await hall.says("hall editor zed");
    expect(hall.stdout).toMatch(/TCP {3}127\.0\.0\.1:\d+\n {2}UNIX {2}\/.*hall\.sock\n/);
    expect(hall.stdout).toContain("  first  The first\n  second\n");
    expect(hall.stdout).toMatch(/keyed {2}\(unavailable: .*NO_SUCH_KEY/);
    expect(hall.stdout).toContain('hall prompt --slot first "hello"');
  });

  it("writes where it listens, once it does", async () => {
    const home = new Household();
    const file = join(home.folder, "addresses.json");
    const roster = home.roster(slots, { listen: { tcp: "127.0.0.1:0" } });
    await home.serve(roster, "--print-addresses", file);
    const { tcp, http, unix } = JSON.parse(readFileSync(file, "utf8"));
    expect(http).toBe(null);
    for (const address of [`tcp://${tcp}`, `unix:${unix}`])
      expect((await home.run(["ping", "--connect", address])).code).toBe(0);
    expect(statSync(unix).mode & 0o777).toBe(0o600);
  });

  it("says it in JSON lines with --json, all of its output", async () => {
    const home = new Household();
    const roster = home.roster(slots);
    const hall = home.start(["serve", "--config", roster, "--json"]).read();
    await hall.says("hall.started");
    await hall.says("addresses");
    const [here] = hall.stdout.split("\n");
    expect(JSON.parse(here ?? "")).toMatchObject({
      pid: hall.pid,
      roster,
      addresses: { tcp: null, http: null },
    });
    hall.signal("SIGTERM");
    const { code, stderr } = await hall.finished;
    expect(code).toBe(0);
    for (const line of stderr.trimEnd().split("\n")) expect(() => JSON.parse(line)).not.toThrow();
  });

  it.each(["SIGTERM", "SIGINT"] as const)("stops cleanly on %s", async (signal) => {
    const home = new Household();
    const hall = await home.serve(home.roster(slots));
    const socket = home.halls[0]?.addresses.unix ?? "";
    hall.signal(signal);
    expect((await hall.finished).code).toBe(0);
    expect(home.halls).toEqual([]);
    expect(existsSync(socket)).toBe(false);
  });

  it("takes up its roster on SIGHUP and on hall reload, or says what is wrong with it and goes on as it was", async () => {
    const home = new Household();
    const roster = home.roster(slots);
    const hall = await home.serve(roster);
    const before = readFileSync(roster, "utf8");
    writeFileSync(roster, "quee: 1\nslots: { demo: { demo: true } }\n");
    hall.signal("SIGHUP");
    await hall.says("did you mean queue?");
    const wrong = await home.run(["reload"]);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining(`${roster}:1:1: quee: this key`)]);
    const refused = await home.run(["reload"], { env: { HALL_PROCESS: "0.1" } });
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining("An agent does not change")]);
    writeFileSync(roster, JSON.stringify({ ...JSON.parse(before), queue: { limit: 3 } }));
    hall.signal("SIGHUP");
    await hall.says("roster.reloaded");
    writeFileSync(roster, before);
    const { code, stdout } = await home.run(["reload", "--json"]);
    expect([code, JSON.parse(stdout)]).toMatchObject([
      0,
      { ok: true, applied: [{ key: "queue.limit" }], restart: [], faults: [] },
    ]);
  });

  it("runs on when nobody reads what it says", async () => {
    const home = new Household();
    const hall = home.start(["serve", "--config", home.roster(slots)]);
    hall.child.stdout.destroy();
    await hall.says("hall.started");
    await expect.poll(async () => (await home.run(["ping"])).code, { timeout: 20_000 }).toBe(0);
  });

  it("lets a running turn go on for --drain, and hurries when it is told twice", async () => {
    const home = new Household();
    const hall = await home.serve(
      home.roster({ stubborn: { ways: { ignoreCancel: true } } }),
      "--drain",
      "1h",
    );
    const { editor } = home.edit();
    const sessionId = await editor.begin();
    const point = gate();
    const turn = editor.prompt(sessionId, [point.wait]);
    await point.reached();
    hall.signal("SIGTERM");
    await hall.says("hall.stopping");
    hall.signal("SIGTERM");
    expect((await turn).stopReason).toBe("cancelled");
    expect((await hall.finished).code).toBe(0);
  });

  it("is refused on a state directory in which another runs, with that one's pid", async () => {
    const home = new Household();
    const roster = home.roster(slots);
    const hall = await home.serve(roster);
    const { code, stderr } = await home.run(["serve", "--config", roster]);
    expect(code).toBe(1);
    expect(stderr).toContain(`pid ${hall.pid}`);
  });

  it("ends with 2 when the roster is wrong, and says all that is", async () => {
    const home = new Household();
    const { code, stderr } = await home.run([
      "serve",
      "--config",
      home.roster({ one: {}, two: { comand: [] } }),
    ]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/slots\.one: it names nothing to run/);
    expect(stderr).toMatch(/slots\.two\.comand: /);
  });

  it("ends with 2 when --drain is no duration", async () => {
    const home = new Household();
    const { code, stderr } = await home.run(["serve", "--config", home.roster(slots), "--drain", "long"]);
    expect(code).toBe(2);
    expect(stderr).toBe("hall: --drain long is no duration; write 10s or 500ms.\n");
  });

  it("says loudly that every user may come in, when the roster lets them", async () => {
    const home = new Household();
    const roster = home.roster(slots, { trust_loopback: true, listen: { tcp: "127.0.0.1:0" } });
    const hall = await home.serve(roster);
    await hall.says("every user of this machine");
  });
});
