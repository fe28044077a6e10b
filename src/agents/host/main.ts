import { resolve } from "node:path";
import { serveModule } from "./serve.ts";

/** `node main.js STATE LINE-LIMIT FILE [ARGUMENT…]`: a module as an agent; an empty STATE is none. */
const [state = "", lineLimit, file, ...args] = process.argv.slice(2);
if (file === undefined) {
  process.stderr.write("This is started by a hall: name the state folder, the line limit and the module.\n");
  process.exitCode = 2;
} else serveModule({ file: resolve(file), args, state: state || undefined, lineLimit: Number(lineLimit) });
