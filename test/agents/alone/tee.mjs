// Runs a program as if it was not there, and keeps what that writes to stdout: tee.mjs FILE PROGRAM ARGUMENT…
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";

const [file, program, ...args] = process.argv.slice(2);
const child = spawn(program, args, { stdio: ["inherit", "pipe", "inherit"] });
child.stdout.on("data", (bytes) => {
  appendFileSync(file, bytes);
  process.stdout.write(bytes);
});
child.on("exit", (code) => process.exit(code ?? 1));
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => {});
