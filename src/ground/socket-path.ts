import { createHash } from "node:crypto";
import path from "node:path";

/** Bytes. The kernel's own limit is 103 or 107; Node cuts a longer path without a word and binds another one. */
const LONGEST = 100;

/**
 * Where the UNIX socket `name` of `folder` is bound: in the folder, or, where that path is too long, in a short
 * folder of this user's that is named after it: in $XDG_RUNTIME_DIR, else in /tmp. Whoever binds there makes
 * that folder with `makeOwnFolder` first, and whoever connects checks it so: /tmp is everyone's.
 */
export function socketPath(folder: string, name: string, environment = process.env): string {
  const plain = path.join(folder, name);
  if (isShort(plain)) return plain;
  const hash = createHash("sha256").update(folder).digest("hex").slice(0, 16);
  const runtime = environment.XDG_RUNTIME_DIR;
  if (runtime !== undefined && path.isAbsolute(runtime)) {
    const inRuntime = path.join(runtime, `hall-${hash}`, name);
    if (isShort(inRuntime)) return inRuntime;
  }
  const user = process.geteuid?.() ?? 0;
  const inTemporary = path.join("/tmp", `hall-${user}-${hash}`, name);
  if (isShort(inTemporary)) return inTemporary;
  throw new Error(`The name "${name}" is too long for a UNIX socket.`);
}

const isShort = (file: string): boolean => Buffer.byteLength(file) <= LONGEST;
