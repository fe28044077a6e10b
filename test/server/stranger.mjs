// Another user at the port: `node stranger.mjs UID HOST PORT abrupt|half|stay COUNT`. Takes that user's rights,
// then connects COUNT times and writes a line. abrupt: closes at once. half: ends its direction. stay: waits.
// Prints, as JSON, what it was told on each connection.
import net from "node:net";

const [uid, host, port, how, count] = process.argv.slice(2);
process.setgroups([]);
process.setgid(Number(uid));
process.setuid(Number(uid));

const visit = () =>
  new Promise((resolve) => {
    let told = "";
    const socket = net.connect({ host, port: Number(port), allowHalfOpen: true });
    socket.on("data", (bytes) => {
      told += bytes;
    });
    socket.on("end", () => socket.end());
    socket.on("error", () => {});
    socket.on("close", () => resolve(told));
    socket.on("connect", () => {
      const line = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}\n';
      socket.write(line, () => {
        if (how === "abrupt") socket.destroy();
        if (how === "half") socket.end();
      });
    });
  });

const told = [];
for (let left = Number(count); left > 0; left -= 20) {
  told.push(...(await Promise.all(Array.from({ length: Math.min(left, 20) }, visit))));
}
process.stdout.write(JSON.stringify(told));
