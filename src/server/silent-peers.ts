import type { Cancel, Clock } from "../ground/clock.ts";
import { type ConnectionRow, endpoint, isSameEndpoint, readConnectionRows } from "./connection-rows.ts";
import type { Ends } from "./same-user.ts";

/** Milliseconds between two looks, and how many in a row must find a peer silent. */
const LOOK_MS = 10_000;
const SILENT_LOOKS = 5;

/** An accepted socket, as far as it matters here. */
export interface WatchedSocket extends Ends {
  readonly destroyed: boolean;
  destroy(): unknown;
  once(event: "close", ring: () => void): unknown;
}

export interface SilentPeersParts {
  clock: Clock;
  /** A connection was given up. */
  lost(socket: WatchedSocket): void;
  /** How the kernel's list is read. */
  read?: (proc: string) => ConnectionRow[];
}

/**
 * Connections whose other side has vanished while it was owed bytes. Keepalive is for connections at rest; what was
 * sent is sent again for a quarter of an hour before the kernel gives up. Its list tells how often it has done so in
 * vain (a peer that is there and only does not read answers each time): one that was silent at each of five looks
 * has been gone for 40 s. Linux alone has such a list; elsewhere the kernel decides.
 */
export class SilentPeers {
  readonly #parts: SilentPeersParts;
  /** How often the kernel had asked in vain at the last look, and at how many looks in a row. */
  readonly #watched = new Map<WatchedSocket, { unanswered: number; looks: number }>();
  #stop: Cancel | undefined;

  constructor(parts: SilentPeersParts) {
    this.#parts = parts;
  }

  watch(socket: WatchedSocket): void {
    this.#watched.set(socket, { unanswered: 0, looks: 0 });
    socket.once("close", () => {
      this.#watched.delete(socket);
      if (this.#watched.size > 0) return;
      this.#stop?.();
      this.#stop = undefined;
    });
    this.#stop ??= this.#lookLater();
  }

  #lookLater(): Cancel {
    return this.#parts.clock.after(LOOK_MS, () => {
      this.#stop = this.#lookLater();
      this.#look();
    });
  }

  #look(): void {
    const rows = this.#rows();
    for (const [socket, seen] of [...this.#watched]) {
      const unanswered = unansweredOf(socket, rows);
      // An answer begins the count anew.
      seen.looks = unanswered > 0 && unanswered >= seen.unanswered ? seen.looks + 1 : 0;
      seen.unanswered = unanswered;
      if (seen.looks < SILENT_LOOKS || socket.destroyed) continue;
      this.#parts.lost(socket);
      socket.destroy();
    }
  }

  #rows(): ConnectionRow[] {
    try {
      return (this.#parts.read ?? readConnectionRows)("/proc");
    } catch {
      // What cannot be read says nothing against anybody.
      return [];
    }
  }
}

function unansweredOf(socket: WatchedSocket, rows: readonly ConnectionRow[]): number {
  const ours = endpoint(socket.localAddress, socket.localPort);
  const theirs = endpoint(socket.remoteAddress, socket.remotePort);
  if (!ours || !theirs) return 0;
  const row = rows.find(({ local, remote }) => isSameEndpoint(local, ours) && isSameEndpoint(remote, theirs));
  return row?.unanswered ?? 0;
}
