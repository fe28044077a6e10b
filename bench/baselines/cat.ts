import { spawn } from "node:child_process";
import net from "node:net";

/** `cat FILE | socket`: what comes in on a connection is ignored but for its first byte, which starts it. */
const [file] = process.argv.slice(2);
if (file === undefined) throw new Error("Say which FILE.");
const server = net.createServer({ noDelay: true }, (socket) => {
  socket.once("data", () => spawn("cat", [file]).stdout.pipe(socket));
  socket.on("error", () => {});
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address !== null && typeof address === "object") process.stdout.write(`${address.port}\n`);
});
process.stdin.on("end", () => process.exit(0)).resume();
