import type { Grant } from "./grant.ts";

/** Where a connection comes from: all that is known of a client before it has said a word. */
export interface Origin {
  readonly via: "unix" | "tcp" | "websocket";
  /** It sits on the hall's machine: it can see the files that the hall sees. */
  readonly local: boolean;
  /** It needs no token: it is the hall's own user, proven, or the roster lets every local user in. */
  readonly trusted: boolean;
  /** For people: `127.0.0.1:51034`, `[::1]:51034`, or the socket's path. */
  readonly address: string;
  /** It showed its token before the first message, as WebSocket lets it. */
  readonly grant?: Grant;
}
