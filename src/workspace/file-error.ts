import { Code, invalidParams, RpcError } from "../acp/errors.ts";
import { codeOf, messageOf } from "../ground/thrown.ts";

export const notFound = (path: string): RpcError =>
  new RpcError(Code.notFound, `There is no file ${path}.`, { path });

/** Node's error about a file as the agent gets it. `path`: as the agent named it. */
export function fileError(path: string, error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  const code = codeOf(error) ?? "unknown";
  if (code === "ENOENT") return notFound(path);
  const fault = FAULTS[code];
  if (fault !== undefined) return invalidParams(`The path ${path} ${fault}.`, { path });
  const trouble = TROUBLES[code] ?? `the system says: ${messageOf(error)}`;
  return new RpcError(Code.internal, `The file ${path} cannot be used: ${trouble}.`, { path, code });
}

/** What is wrong with the path itself. */
const FAULTS: Readonly<Record<string, string>> = {
  ENOTDIR: "leads through something that is no folder",
  EISDIR: "names a folder, not a file",
  ELOOP: "is a link that leads nowhere, or round and round",
  ENAMETOOLONG: "is too long",
  ENXIO: "names no regular file",
  ERR_INVALID_ARG_VALUE: "contains a zero byte",
};

/** What keeps the hall from using it. */
const TROUBLES: Readonly<Record<string, string>> = {
  EACCES: "the hall's user may not",
  EPERM: "the hall's user may not",
  EROFS: "its file system is read-only",
  ENOSPC: "its file system is full",
  EDQUOT: "the hall's user has no space left there",
  EFBIG: "it would become too large",
  EMFILE: "too many files are open in the hall; try again",
  ENFILE: "too many files are open on this machine; try again",
};
