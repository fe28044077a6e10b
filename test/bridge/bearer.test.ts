import { describe, expect, it } from "vitest";
import { Bearer } from "../../src/bridge/bearer.ts";
import { memoryPair } from "../../src/wire/memory.ts";
import { listenTo } from "../server/connections.ts";

/** What arrives of these pieces, one after another. */
async function sent(...pieces: string[]): Promise<string> {
  const [near, far] = memoryPair();
  const ear = listenTo(far);
  const bearer = new Bearer(near, "hall_secret");
  bearer.start({ chunk: () => {}, ended: () => {}, closed: () => {} });
  for (const piece of pieces) bearer.write(Buffer.from(piece));
  bearer.end();
  far.end();
  await ear.closes;
  return ear.text;
}

describe("a token that is shown", () => {
  it.each([
    [
      '{"method":"initialize","id":1,"jsonrpc":"2.0","params":{"a":1.0,"_meta":{"x":2}}}',
      '"_meta":{"x":2,"hall/token":"hall_secret"}',
    ],
    [
      '{"method":"initialize","id":1,"jsonrpc":"2.0","params":{}}',
      '"params":{"_meta":{"hall/token":"hall_secret"}}',
    ],
  ])("stands in the first initialize: %s", async (line, expected) => {
    expect(await sent(`${line}\n`)).toContain(expected);
    expect(await sent(line.slice(0, 20), `${line.slice(20)}\n`)).toContain(expected);
  });

  it("stands nowhere else, and changes no other line", async () => {
    const before = '{"jsonrpc":"2.0","id":0,"method":"session/list","params":{}}\nno JSON\n';
    const first = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}\n';
    const after = '{"jsonrpc":"2.0","id":2,"method":"initialize","params":{}}\n{"n":1.50}\n';
    const text = await sent(before, first, after);
    expect(text.startsWith(before)).toBe(true);
    expect(text.endsWith(after)).toBe(true);
    expect(text.split("hall_secret")).toHaveLength(2);
  });
});
