import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import { HandClock } from "../../src/ground/clock.ts";
import { type ConnectionRow, endpoint } from "../../src/server/connection-rows.ts";
import { SilentPeers, type WatchedSocket } from "../../src/server/silent-peers.ts";

class FakeSocket extends EventEmitter implements WatchedSocket {
  readonly localAddress = "127.0.0.1";
  readonly localPort = 7420;
  readonly remoteAddress = "::ffff:10.0.0.1";
  readonly remotePort: number;
  destroyed = false;

  constructor(port: number) {
    super();
    this.remotePort = port;
  }

  destroy(): void {
    this.destroyed = true;
    this.emit("close");
  }
}

/** One connection that the kernel lists with so many unanswered segments, look after look. */
function watched(counts: (number | undefined)[]) {
  const clock = new HandClock();
  const socket = new FakeSocket(40_000);
  const lost: number[] = [];
  let looks = 0;
  const row = (unanswered: number, port: number): ConnectionRow[] => {
    const [local, remote] = [endpoint("127.0.0.1", 7420), endpoint("10.0.0.1", port)];
    if (!local || !remote) throw new Error("These are addresses.");
    return [{ local, remote, state: "01", uid: 1000, unanswered, inode: 1 }];
  };
  const peers = new SilentPeers({
    clock,
    lost: ({ remotePort = 0 }) => lost.push(remotePort),
    read: () => {
      const count = counts[looks++];
      if (count === undefined) throw new Error("there is no such list");
      // Somebody else's is as silent as can be.
      return [...row(15, 50_000), ...row(count, 40_000)];
    },
  });
  peers.watch(socket);
  for (const _ of counts) clock.advance(10_000);
  return { clock, socket, lost };
}

describe("a peer that has vanished", () => {
  it("is given up when it was silent at five looks: within a minute", () => {
    const { clock, socket, lost } = watched([3, 5, 6, 7, 7]);
    expect([socket.destroyed, lost]).toEqual([true, [40_000]]);
    expect(clock.pending).toBe(0);
  });

  it.each([
    ["answered in between", [3, 5, 0, 6, 7, 8, 9]],
    ["was lost for a while only", [3, 5, 1, 2, 3, 4]],
    ["has everything that it was sent", [0, 0, 0, 0, 0, 0]],
    ["is on a system without such a list", [undefined, undefined, undefined, undefined, undefined]],
  ])("is not taken for gone when it %s", (_, counts) => {
    const { socket, clock } = watched(counts);
    expect(socket.destroyed).toBe(false);
    expect(clock.pending).toBe(1);
    socket.destroy();
    expect(clock.pending).toBe(0);
  });
});
