import { once } from "node:events";
import net from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { connectSocket } from "../../src/wire/tcp.ts";
import { temporaryFolder } from "../doubles/temporary-folder.ts";
import { Listener } from "./listener.ts";

/** Says hello to whoever connects, and then what that says. */
async function greeter(where: net.ListenOptions): Promise<net.Server> {
  const server = net.createServer((socket) => {
    socket.write("hello ");
    socket.pipe(socket);
  });
  server.listen(where);
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
  });
  return server;
}

const portOf = (server: net.Server): number => {
  const bound = server.address();
  if (bound === null || typeof bound === "string") throw new Error("no port");
  return bound.port;
};

async function talk(address: Parameters<typeof connectSocket>[0]): Promise<string> {
  const transport = await connectSocket(address);
  const listener = new Listener(transport);
  transport.write(Buffer.from("world"));
  await expect.poll(() => listener.text, { timeout: 15_000, interval: 5 }).toBe("hello world");
  transport.end();
  await listener.closed;
  return listener.text;
}

describe("connecting", () => {
  it("leads to a TCP port", async () => {
    const server = await greeter({ port: 0, host: "127.0.0.1" });
    expect(await talk({ host: "127.0.0.1", port: portOf(server) })).toBe("hello world");
  });

  it("leads to a UNIX socket", async () => {
    const path = join(temporaryFolder(), "s");
    await greeter({ path });
    expect(await talk({ path })).toBe("hello world");
  });

  it("rejects with Node's error where nobody listens", async () => {
    const server = await greeter({ port: 0, host: "127.0.0.1" });
    const port = portOf(server);
    server.close();
    await once(server, "close");
    await expect(connectSocket({ host: "127.0.0.1", port })).rejects.toMatchObject({ code: "ECONNREFUSED" });
    const path = join(temporaryFolder(), "nobody");
    await expect(connectSocket({ path })).rejects.toMatchObject({ code: "ENOENT" });
  });
});
