import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startHall } from "../doubles/start-hall.ts";

const server = (changes: object = {}) => ({
  name: "files",
  command: "/usr/bin/files",
  args: ["--root", "/srv"],
  env: [
    { name: "A", value: "1" },
    { name: "B", value: "2" },
  ],
  ...changes,
});

describe("a slot with roots", () => {
  it("works inside them and nowhere else, whatever links lead out", async () => {
    const hall = await startHall({ slots: { a: { ways: {}, roots: ["./work"] } } });
    const inside = join(hall.work, "project");
    const outside = join(hall.folder, "workshop");
    for (const folder of [inside, outside]) mkdirSync(folder);
    symlinkSync(outside, join(hall.work, "link"));
    const client = await hall.connect();
    await client.initialize();
    for (const cwd of [hall.work, inside, join(outside, "..", "work")]) await client.newSession({ cwd });
    for (const cwd of [outside, join(hall.work, ".."), join(hall.work, "link")]) {
      await expect(client.newSession({ cwd })).rejects.toMatchObject({ code: -32602, data: { path: cwd } });
    }
    await expect(client.newSession({ additionalDirectories: [outside] })).rejects.toMatchObject({
      message: `Slot "a" works in ${hall.work} (roots), and nowhere else: ${outside} is outside.`,
    });
  });
});

describe("a slot with mcp_trust", () => {
  it("takes a server that is the same in command, arguments and environment, whatever it is called", async () => {
    const hall = await startHall({ slots: { a: { ways: {}, mcp_trust: [server()] } } });
    const client = await hall.connect();
    await client.initialize();
    const asked = (mcpServers: object[]) => client.newSession({ mcpServers });
    await asked([]);
    await asked([server({ name: "other", env: [...server().env].reverse() })]);
    for (const change of [{ command: "/tmp/files" }, { args: ["--root", "/"] }, { env: [] }]) {
      await expect(asked([server(), server(change)])).rejects.toMatchObject({
        code: -32602,
        data: { server: "files" },
      });
    }
    await expect(asked([{ type: "http", name: "files", url: "https://x", headers: [] }])).rejects.toThrow();
  });
});
