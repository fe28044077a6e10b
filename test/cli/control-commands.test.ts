import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { eventually } from "../doubles/eventually.ts";
import { gate } from "../doubles/gate.ts";
import { startHall } from "../doubles/start-hall.ts";
import { documentOf, Household } from "./household.ts";

it("the queue, cancel, kill, logs and events of a hall are seen and done from a terminal, also by TCP with a token file", async () => {
  const hall = await startHall({
    slots: { scripted: { ways: { ignoreSigint: true, ignoreSigterm: true }, isolation: "session" } },
    strangers: true,
  });
  const home = new Household();
  const tokenFile = join(home.folder, "chief.token");
  writeFileSync(tokenFile, hall.token("chief", { scopes: ["admin"] }), { mode: 0o600 });
  const client = await hall.connect();
  await client.initialize({ _meta: { "hall/token": hall.token("ann") } });
  const { sessionId } = await client.newSession();
  const short = sessionId.slice(0, 8);
  const tcp = ["--connect", `tcp://${hall.service.addresses.tcp}`, "--token-file", tokenFile];
  const run = (...args: string[]) => home.run([...args, ...tcp]);

  const events = home.start(["events", "--filter", "turn.", ...tcp]).read();
  const follower = home.start(["logs", short, "--follow", ...tcp]).read();
  await follower.says("-- serves session");
  // It listens once it has heard something.
  await eventually(() => {
    hall.service.hall.events.emit("turn.refused", { client: "nobody", kind: "a sign" });
    return events.stdout;
  }).toContain("a sign");
  const point = gate();
  const running = client.prompt(sessionId, [{ stderr: "oh dear\u001b[2J\n" }, point.wait]);
  await point.reached();
  const waiting = client.prompt(sessionId, "later", { "hall/turn": "later" });
  await client.saidMeanwhile();
  await follower.says("oh dear");

  expect((await run("queue")).stdout).toMatch(
    /^TURN .*\nlater +scripted +hs_\w+ +\d+ s +1, for its session\n$/,
  );
  expect(documentOf(await run("queue", "--json")).turns).toMatchObject([{ turn: "later", position: 1 }]);
  expect((await run("ps")).stdout).toMatch(/ queued +\d+ s +1, for its session /);
  const inside = { env: { HALL_PROCESS: "x.1" } };
  for (const command of [
    ["queue", "drop", "later"],
    ["cancel", short],
    ["kill", short],
  ]) {
    const { code, stderr } = await home.run([...command, ...tcp], inside);
    expect([code, stderr]).toEqual([
      4,
      expect.stringMatching(/^hall: An agent does not .* outside of it\.\n$/),
    ]);
  }
  expect((await run("queue", "drop", "la")).stdout).toBe("later is dropped.\n");
  expect(await waiting).toMatchObject({ stopReason: "cancelled" });
  const late = await run("queue", "drop", "later");
  expect([late.code, late.stderr]).toEqual([
    1,
    expect.stringContaining("does not wait any more: it is over"),
  ]);

  expect((await run("kill", short)).stdout).toMatch(/^hs_\w+: its agent is killed; cancelled: turn_\w+\.\n$/);
  expect(await running).toMatchObject({ stopReason: "cancelled" });
  expect((await run("cancel", short)).stdout).toBe(`Nothing runs or waits in ${sessionId}.\n`);
  await follower.says("-- was ended by SIGKILL");
  follower.signal("SIGINT");
  const followed = await follower.finished;
  expect([followed.code, followed.stderr]).toEqual([
    0,
    expect.stringMatching(/^Kept since .*, when this hall started\.\n$/),
  ]);
  expect(followed.stdout).toMatch(/\[\d+\] oh dear␛\[2J\n[\s\S]*-- was sent SIGKILL\n/);

  const { entries } = Object(documentOf(await run("logs", "scripted", "--json")));
  expect(entries).toContainEqual(
    expect.objectContaining({ what: "stderr", sessionId, pid: expect.any(Number) }),
  );
  const nobody = await run("logs", "nobody");
  expect([nobody.code, nobody.stderr]).toEqual([2, expect.stringContaining("there are: scripted")]);
  const limited = await run("events", "--for", "1ms");
  expect(limited.code).toBe(0);

  await hall.stop();
  const told = await events.finished;
  // It was stopped, and not lost.
  expect([told.code, told.stderr]).toEqual([0, ""]);
  const types = told.stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line).type);
  expect(types.filter((type) => type !== "turn.refused")).toEqual([
    "turn.queued",
    "turn.started",
    "turn.queued",
    "turn.ended",
    "turn.ended",
  ]);
});
