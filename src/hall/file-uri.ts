import type { Passage } from "./path-map.ts";

/** `file:`, nobody's host or this one, the path, and what stands behind that (`#L10`). */
const FILE_URI = /^(file:(?:\/\/(?:localhost)?)?)(\/(?!\/)[^?#]*)(.*)$/is;

/**
 * The address of a file on the other side. What is behind the folder that `passage` leads from stays as it was spelled;
 * an address of anything else, or one that cannot be read, stays as it is.
 */
export function fileUri(uri: string, passage: (path: string) => Passage | undefined): string {
  const [, scheme = "", spelled = "", rest = ""] = FILE_URI.exec(uri) ?? [];
  const path = decoded(spelled);
  const led = path === undefined ? undefined : passage(path);
  if (led === undefined) return uri;
  // A folder's name holds no slash, however that is spelled: as many parts are in front on both spellings.
  const behind = spelled.split("/").slice(led.from.split("/").length);
  return `${scheme}${[encoded(led.to), ...behind].join("/") || "/"}${rest}`;
}

function decoded(spelled: string): string | undefined {
  if (spelled === "" || /%2f/i.test(spelled)) return undefined;
  try {
    return decodeURIComponent(spelled);
  } catch {
    // A `%` that stands for itself: no address that anybody would find a file by.
    return undefined;
  }
}

const encoded = (path: string): string => path.split("/").map(encodeURIComponent).join("/");
