import { once } from "node:events";
import { createServer } from "node:http";
import { expect, it, onTestFinished } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { systemClock } from "../../src/ground/clock.ts";
import { Shares } from "../../src/wire/shares.ts";
import { WebSocketTransport } from "../../src/wire/websocket.ts";

const KIB = 1024;

it("who sends a little over a WebSocket is waited for: the shares of all others become small", async () => {
  const shares = new Shares();
  const server = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const lines: string[] = [];
  const heard = new Promise<void>((resolve) => {
    server.on("upgrade", (request, stream, head) => {
      new WebSocketServer({ noServer: true }).handleUpgrade(request, stream, head, (socket) => {
        new WebSocketTransport(socket, stream, systemClock, { shares }).start({
          chunk: (bytes) => {
            lines.push(bytes.toString());
            resolve();
          },
          ended: () => {},
          closed: () => {},
        });
      });
    });
  });
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const socket = new WebSocket(`ws://127.0.0.1:${port}`);
  onTestFinished(() => socket.terminate());
  expect(shares.next()).toBe(64 * KIB);
  await once(socket, "open");
  socket.send('{"a":1}');
  await heard;
  expect(lines).toEqual(['{"a":1}\n']);
  expect(shares.next()).toBe(16 * KIB);
});
