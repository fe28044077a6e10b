import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import net from "node:net";

/**
 * Serves an agent on a free TCP port of loopback, a process of it a connection, which `join` joins. The port is
 * printed; the process ends with its stdin.
 */
export function serveAgent(join: (socket: net.Socket, agent: ChildProcessWithoutNullStreams) => void): void {
  const [program, ...args] = process.argv.slice(2);
  if (program === undefined) throw new Error("Say which agent: PROGRAM ARGS…");
  const server = net.createServer({ noDelay: true }, (socket) => {
    const agent = spawn(program, args, { stdio: "pipe" });
    agent.stderr.pipe(process.stderr);
    socket.on("close", () => agent.stdin.end());
    socket.on("error", () => agent.stdin.end());
    agent.stdin.on("error", () => socket.destroy());
    join(socket, agent);
  });
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    if (address !== null && typeof address === "object") process.stdout.write(`${address.port}\n`);
  });
  process.stdin.on("end", () => process.exit(0)).resume();
}
