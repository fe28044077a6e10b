import { appendFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import net from "node:net";
import { delimiter, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { HALL, Household } from "../cli/household.ts";
import { exampleOf, isAsWritten } from "./example.ts";
import { allPages } from "./page.ts";
import { Shell } from "./shell.ts";

/** The port of the examples. Whatever runs on this machine may have it, so another stands in for it. */
const WRITTEN_PORT = "7420";

/** Programs in the pages that a machine may do without. */
const BEYOND_NODE = ["curl", "openssl"];

const examples = allPages().flatMap(({ name, example }) => {
  const found = exampleOf(example);
  return found.steps.length > 0 ? [{ name, ...found }] : [];
});

describe("what a page begins with works as it is written", () => {
  it.for(examples)("$name", { timeout: 60_000 }, async ({ files, steps }, { skip }) => {
    const missing = BEYOND_NODE.find((name) => uses(steps, name) && !isOnPath(name));
    skip(missing !== undefined, `${missing} is not installed`);
    const port = await freePort();
    const here = (text: string): string => text.replaceAll(WRITTEN_PORT, port);
    const { folder, work, env } = new Household();
    mkdirSync(join(folder, "bin"));
    symlinkSync(HALL, join(folder, "bin", "hall"));
    for (const [name, text] of files) writeFileSync(join(work, name), here(text));
    const shell = new Shell(work, { ...env, PATH: `${join(folder, "bin")}${delimiter}${env.PATH}` });
    onTestFinished(() => shell.close());
    for (const step of steps) {
      listenOn(port, join(work, "hall.yml"));
      const written = { ...step, output: step.output.map(here) };
      const printed = await shell.run(here(step.command), (text) => isAsWritten(text, written));
      if (!isAsWritten(printed, written)) expect(printed).toBe(written.output.join("\n"));
    }
  });
});

const uses = (steps: readonly { command: string }[], program: string): boolean =>
  steps.some(({ command }) => command.split(/\s+/).includes(program));

const isOnPath = (program: string): boolean =>
  (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, program)));

/** A roster that names no port would take the usual one. */
function listenOn(port: string, roster: string): void {
  if (!existsSync(roster) || readFileSync(roster, "utf8").includes("listen:")) return;
  appendFileSync(roster, `listen: { tcp: ${port} }\n`);
}

function freePort(): Promise<string> {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(address !== null && typeof address === "object" ? `${address.port}` : ""));
    });
  });
}
