import fs from "node:fs";
import { codeOf } from "../ground/thrown.ts";

/** No such device: this process has no terminal, and may never have had one. */
const NONE = ["ENXIO", "ENOENT"];

/**
 * Whether a SIGHUP came because the terminal that this process runs in was closed, and not from somebody who sent it: a
 * terminal that is closed cannot be opened any more. A process that reads from no terminal runs in none.
 */
export function isTerminalGone({ stdin, stderr }: Pick<NodeJS.Process, "stdin" | "stderr">): boolean {
  // What a stream was when it was made, it says still.
  if (!stdin.isTTY && !stderr.isTTY) return false;
  try {
    fs.closeSync(
      fs.openSync("/dev/tty", fs.constants.O_RDWR | fs.constants.O_NOCTTY | fs.constants.O_NONBLOCK),
    );
    return false;
  } catch (error) {
    return codeOf(error) === "EIO" || NONE.includes(codeOf(error) ?? "");
  }
}
