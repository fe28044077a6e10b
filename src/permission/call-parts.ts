import path from "node:path";
import { canonicalPath } from "./canonical-path.ts";
import { partsOfCommand, type Shell } from "./command-reader.ts";
import { HOLE } from "./glob.ts";
import { type Part, place, shown, untold, words } from "./part.ts";
import type { ToolCall } from "./tool-call.ts";

/**
 * All that a call is about: its command's parts, or else the files and addresses that its input names; and the
 * places that it names beside. Nothing: no pattern with a GLOB is about it.
 */
export function partsOfCall(call: ToolCall, cwd: string, shell: Shell): Part[] {
  const { command, folder = cwd, paths, urls, locations, overflow } = call;
  if (command !== undefined) {
    const where = locations.flatMap((location) => pathParts(location, cwd, false));
    return [...partsOfCommand(command, path.resolve(cwd, folder), shell), ...where];
  }
  return [
    ...[...new Set([...paths, ...locations])].flatMap((file) => pathParts(file, cwd, true)),
    ...urls.flatMap((url) => urlParts(url, cwd)),
    ...(overflow ? [untold("more than is looked at")] : []),
  ];
}

/**
 * Where a path leads. Tools differ in what `..` behind a link means: where that makes a difference, it is about
 * both places.
 */
function pathParts(file: string, cwd: string, counts: boolean): Part[] {
  // What `~` stands for, the tool decides.
  if (file.includes(HOLE) || file.startsWith("~")) return [untold(shown(file))];
  const written = path.isAbsolute(file) ? file : `${cwd}/${file}`;
  const plain = path.resolve(written);
  const places = new Set([canonicalPath(written), canonicalPath(plain)]);
  return [...places].map((canonical) => ({
    shown: shown(canonical ?? plain),
    own: canonical === undefined ? undefined : place(canonical),
    aliases: canonical === plain ? [] : [place(plain)],
    counts,
  }));
}

/** An address as its parser reads it, without a user's name: that can be made to look like a host. */
function urlParts(url: string, cwd: string): Part[] {
  let address: URL;
  try {
    address = new URL(url);
  } catch {
    return [untold(shown(url))];
  }
  if (address.protocol === "file:") return pathParts(decodeURIComponent(address.pathname), cwd, true);
  address.username = "";
  address.password = "";
  const { href } = address;
  return [{ shown: shown(href), own: words(href), aliases: href === url ? [] : [words(url)], counts: true }];
}
