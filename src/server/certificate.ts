import fs from "node:fs";
import tls from "node:tls";
import { codeOf, messageOf } from "../ground/thrown.ts";
import type { TlsFiles } from "../hall/roster.ts";

/** How long a client may take for its handshake, in milliseconds. */
const HANDSHAKE_MS = 10_000;

/** What a listener needs to speak TLS: read at the start. Throws a sentence that names the file. */
export function tlsOptions({ cert, key, clientCa }: TlsFiles): tls.TlsOptions {
  const options: tls.TlsOptions = {
    cert: read(cert, "certificate"),
    key: read(key, "key"),
    ...(clientCa === undefined
      ? {}
      : { ca: read(clientCa, "certificate"), requestCert: true, rejectUnauthorized: true }),
    handshakeTimeout: HANDSHAKE_MS,
  };
  try {
    tls.createSecureContext(options);
  } catch (error) {
    // OpenSSL's own words; they never hold the key.
    throw new Error(
      `listen.tls cannot be used: ${cert} and ${key} are no certificate and its key in PEM format (${messageOf(error)}).`,
      { cause: error },
    );
  }
  return options;
}

function read(file: string, what: string): Buffer {
  try {
    return fs.readFileSync(file);
  } catch (error) {
    const trouble = codeOf(error) === "ENOENT" ? "there is no such file" : messageOf(error);
    throw new Error(`The ${what} ${file} of listen.tls cannot be read: ${trouble}.`, { cause: error });
  }
}
