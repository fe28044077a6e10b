import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { RpcError } from "../../src/acp/errors.ts";
import { dial, LineClient } from "./line-client.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** A client, and the bare socket at the other end, where a test plays the hall. */
async function connected(path?: string) {
  const server = createServer({ allowHalfOpen: true });
  onTestFinished(() => {
    server.close();
  });
  server.listen(path ? { path } : { port: 0, host: "127.0.0.1" });
  await once(server, "listening");
  const accepted: Promise<Socket[]> = once(server, "connection");
  const address = server.address();
  const to = typeof address === "object" && address ? { port: address.port } : { path: String(path) };
  const client = new LineClient(await dial(to));
  const [hall] = await accepted;
  if (!hall) throw new Error("No connection came.");
  onTestFinished(() => {
    hall.destroy();
    client.destroy();
  });
  return { client, hall, says: (message: object) => hall.write(`${JSON.stringify(message)}\n`) };
}

/** Everything that came to `hall` until a line holds `text`. */
async function hears(hall: Socket, text: string): Promise<string> {
  let heard = "";
  hall.setEncoding("utf8");
  for await (const chunk of hall.iterator({ destroyOnReturn: false })) {
    heard += chunk;
    if (heard.includes(text) && heard.endsWith("\n")) break;
  }
  return heard;
}

describe("a line client", () => {
  it("numbers its requests and gives each its own answer, in whatever order they come", async () => {
    const { client, hall, says } = await connected();
    const [first, second] = [client.request("session/list", {}), client.request("session/list", {})];
    expect(await hears(hall, '"id":2')).toBe(
      '{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}\n' +
        '{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}\n',
    );
    says({ jsonrpc: "2.0", id: 2, result: { sessions: [] } });
    says({ jsonrpc: "2.0", id: 1, error: { code: -32602, message: "Bad.", data: { cursor: "x" } } });
    expect(await second).toEqual({ sessions: [] });
    await expect(first).rejects.toEqual(new RpcError(-32602, "Bad.", { cursor: "x" }));
    await client.close();
  });

  it("speaks to a UNIX socket too", async () => {
    const { client, hall, says } = await connected(join(temporaryFolder(), "s"));
    const answer = client.request("logout");
    await hears(hall, "logout");
    says({ jsonrpc: "2.0", id: 1, result: {} });
    expect(await answer).toEqual({});
  });

  it("sends bytes as they are, and knows the requests in them", async () => {
    const { client, hall, says } = await connected();
    client.raw('{"jsonrpc":"2.0","id":"ü","method":');
    client.raw('"logout"}\nno json\n');
    expect(await hears(hall, "no json")).toBe('{"jsonrpc":"2.0","id":"ü","method":"logout"}\nno json\n');
    says({ jsonrpc: "2.0", id: "ü", result: {} });
    expect(await client.answerTo("ü")).toMatchObject({ result: {} });
    await client.close();
  });

  it("keeps every line as it came, byte for byte", async () => {
    const { client, hall } = await connected();
    const line =
      '{"jsonrpc":"2.0",  "method":"session/update","params":{"sessionId":"s","update":' +
      '{"sessionUpdate":"session_info_update","x":1.0,"title":"\u2028\\u00e9 🙂"}}}\n';
    const bytes = Buffer.from(line);
    for (const byte of bytes) hall.write(Buffer.of(byte));
    const received = await client.sees("session_info_update");
    expect(received.bytes.equals(bytes)).toBe(true);
  });

  it("sees what came before it looked and what comes after, from where it is told to look", async () => {
    const { client, says } = await connected();
    const title = (text: string) => ({
      jsonrpc: "2.0",
      method: "session/update",
      params: { sessionId: "s", update: { sessionUpdate: "session_info_update", title: text } },
    });
    says(title("one"));
    await client.sees("one");
    await client.sees("one");
    const later = client.sees("session_info_update", client.received.length);
    says(title("two"));
    expect((await later).bytes.toString()).toContain("two");
    expect((await client.sees(({ method }) => method === "session/update")).bytes.toString()).toContain(
      "one",
    );
  });

  it("rejects what it waits for when the connection ends, and says what did come", async () => {
    const { client, hall, says } = await connected();
    const [wanted, answer] = [client.sees("wanted"), client.request("logout")];
    says({ jsonrpc: "2.0", method: "_other" });
    hall.end();
    await expect(wanted).rejects.toThrow(/Did not see "wanted".*\n.*_other/s);
    await expect(answer).rejects.toThrow('"logout" was not answered');
    hall.destroy();
    client.destroy();
    await client.closed;
    await expect(client.sees("wanted")).rejects.toThrow("Did not see");
  });

  it("leaves questions open, knows no other call, and answers as it is told", async () => {
    const { client, hall, says } = await connected();
    const file = { sessionId: "s", path: "/f" };
    const options = [{ optionId: "a", name: "A", kind: "allow_once" }];
    const question = { sessionId: "s", toolCall: { toolCallId: "t" }, options };
    says({ jsonrpc: "2.0", id: 0, method: "session/request_permission", params: question });
    says({ jsonrpc: "2.0", id: 1, method: "fs/read_text_file", params: file });
    expect(JSON.parse(await hears(hall, '"id":1'))).toMatchObject({ id: 1, error: { code: -32601 } });
    client.answerWith(() => ({ content: "text" }));
    says({ jsonrpc: "2.0", id: 2, method: "fs/read_text_file", params: file });
    expect(JSON.parse(await hears(hall, '"id":2'))).toEqual({
      jsonrpc: "2.0",
      id: 2,
      result: { content: "text" },
    });
    client.answerWith(() => ({ error: { code: 5, message: "five" } }));
    says({ jsonrpc: "2.0", id: 3, method: "fs/read_text_file", params: file });
    expect(JSON.parse(await hears(hall, '"id":3'))).toMatchObject({ id: 3, error: { code: 5 } });
  });

  it("stops reading, so that the other side's writes stand still, and reads on", async () => {
    const { client, hall, says } = await connected();
    client.stopReading();
    const line = `${JSON.stringify({ jsonrpc: "2.0", method: "_fill", params: { x: "x".repeat(65_536) } })}\n`;
    let written = 0;
    // A pipe that nobody reads takes some megabytes at most, then writes pile up in this process.
    while (hall.writableLength < 1 << 20 && written < 1 << 28) {
      hall.write(line);
      written += line.length;
      await new Promise(setImmediate);
    }
    expect(written).toBeLessThan(1 << 28);
    const before = client.received.length;
    client.readAgain();
    says({ jsonrpc: "2.0", method: "_last" });
    await client.sees("_last");
    expect(before).toBeLessThan(client.received.length);
    expect(client.received).toHaveLength(written / line.length + 1);
  });

  it("still hears the hall after its own end", async () => {
    const { client, hall, says } = await connected();
    const answer = client.request("logout");
    client.end();
    hall.resume();
    await once(hall, "end");
    says({ jsonrpc: "2.0", id: 1, result: {} });
    expect(await answer).toEqual({});
    hall.end();
    await client.closed;
  });

  it.each([
    ["no JSON", "hello\n"],
    ["a blank line", "\n"],
    ["an array", "[]\n"],
    ["invalid UTF-8", Buffer.from([0x22, 0xff, 0x22, 0x0a])],
    ["a byte order mark", '\ufeff{"jsonrpc":"2.0","method":"_x"}\n'],
    ["a line without its end", '{"jsonrpc":"2.0"'],
    ["an answer to nothing", '{"jsonrpc":"2.0","id":9,"result":{}}\n'],
  ])("fails the test when the hall wrote %s", async (_name, bytes) => {
    const { client, hall } = await connected();
    hall.end(bytes);
    await once(hall, "finish");
    await client.sees("the end").catch(() => {});
    await expect(client.close()).rejects.toThrow("break the protocol");
  });
});
