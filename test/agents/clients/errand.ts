import net from "node:net";
import { Readable, Writable } from "node:stream";

/** What a client is to do: connect, make a session, send one prompt, allow what it is asked. */
export interface Errand {
  readonly hall: { readonly host: string; readonly port: number };
  readonly cwd: string;
  readonly prompt: string;
}

/** What it saw. */
export interface Outcome {
  readonly stopReason: string;
  /** What the agent said. */
  readonly text: string;
  /** How often it was asked. */
  readonly questions: number;
}

/** The two streams of a TCP connection as the SDKs take them. */
export function webStreams({ hall }: Errand): {
  output: WritableStream<Uint8Array>;
  input: ReadableStream<Uint8Array>;
  close(): void;
} {
  const socket = net.connect(hall);
  return {
    output: Writable.toWeb(socket),
    input: Readable.toWeb(socket),
    close: () => socket.destroy(),
  };
}
