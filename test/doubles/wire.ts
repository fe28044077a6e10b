import { connect, createServer, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A way to a UNIX socket or a port that can be cut, and mended. */
export class Wire {
  /** Where whoever comes this way connects. */
  readonly address: string;
  readonly #sockets = new Set<Socket>();
  #isCut = false;

  private constructor(port: number) {
    this.address = `tcp://127.0.0.1:${port}`;
  }

  static async to(port: number): Promise<Wire> {
    let wire: Wire | undefined;
    const server: Server = createServer((near) => wire?.carry(near, port));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    wire = new Wire(typeof address === "object" && address ? address.port : 0);
    const made = wire;
    onTestFinished(() => {
      made.cut();
      server.close();
    });
    return made;
  }

  /** Whoever is connected is so no longer, and nobody comes through. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  mend(): void {
    this.#isCut = false;
  }

  carry(near: Socket, port: number): void {
    if (this.#isCut) {
      near.destroy();
      return;
    }
    const far = connect({ host: "127.0.0.1", port });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(one);
      // Its end is told by `close`.
      one.on("error", () => {});
      one.on("close", () => {
        this.#sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  }
}
