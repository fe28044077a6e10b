import { writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { DEMO, documentOf, Household } from "./household.ts";

it("hall doctor ends with 0 when nothing is wrong, and with 1 and the fix under it when something is", async () => {
  const home = new Household();
  const roster = home.roster({ ...DEMO, gone: { command: ["no-such-agent"] } });
  const sick = await home.run(["doctor", "--config", roster]);
  expect(sick.code).toBe(1);
  expect(sick.stdout).toMatch(
    /✗ slot +gone: There is no program "no-such-agent" on PATH .*\n +→ Install it, or write its full path\.\n/,
  );
  expect(sick.stdout).toMatch(/\n1 fault.*\.\n$/);
  const well = documentOf(await home.run(["doctor", "--json", "--config", home.roster(DEMO)]));
  expect(well).toEqual({ ok: true, version: expect.any(String), findings: expect.any(Array) });
  expect(well.findings).toContainEqual({
    check: "slot",
    subject: "demo",
    verdict: "ok",
    message: expect.any(String),
    fix: null,
  });
});

it("hall doctor tells what is wrong with a roster, and looks at what does not hang on it", async () => {
  const home = new Household();
  writeFileSync(home.ownRoster(DEMO), "slots: { one: { comand: [x] } }\n");
  const { code, stdout } = await home.run(["doctor"], { env: { HALL_CONNECT: "unix:./no.sock" } });
  expect(code).toBe(1);
  expect(stdout).toMatch(/✗ roster +\S+hall\.yml:1:\d+: slots\.one\.comand: /);
  expect(stdout).toMatch(/✗ connect +No hall answers at unix:\S+no\.sock/);
});
