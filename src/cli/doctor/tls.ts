import { X509Certificate } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import net from "node:net";
import type { Clock } from "../../ground/clock.ts";
import { messageOf } from "../../ground/thrown.ts";
import type { Roster, TlsFiles } from "../../hall/roster.ts";
import { tlsOptions } from "../../server/certificate.ts";
import { type Finding, Findings } from "./finding.ts";

/** What the roster's TLS stands on. */
export interface TlsState {
  files: TlsFiles;
  /** Why a hall could not use them: missing, no PEM, a key that does not match. */
  problem: string | undefined;
  /** Undefined where it cannot be read. */
  certificate:
    | { validFrom: number; validTo: number; subject: string; covers(host: string): boolean }
    | undefined;
  /** Permission bits of the key's file. */
  keyMode: number;
  /** Where the hall listens by names that clients may use: no wildcard. */
  hosts: readonly string[];
  /** ms since the epoch. */
  now: number;
}

export function tlsState({ listen }: Roster, clock: Clock): TlsState | undefined {
  const files = listen.tls;
  if (!files) return undefined;
  const hosts = [listen.tcp?.host, listen.http?.host].filter((host) => host !== undefined);
  return {
    files,
    problem: problemOf(files),
    certificate: certificateIn(files.cert),
    keyMode: statSync(files.key, { throwIfNoEntry: false })?.mode ?? 0,
    hosts: [...new Set(hosts)].filter((host) => !WILDCARDS.has(host)),
    now: clock.now(),
  };
}

const WILDCARDS: ReadonlySet<string> = new Set(["0.0.0.0", "::"]);

function problemOf(files: TlsFiles): string | undefined {
  try {
    tlsOptions(files);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

function certificateIn(file: string): TlsState["certificate"] {
  try {
    const certificate = new X509Certificate(readFileSync(file));
    return {
      validFrom: Date.parse(certificate.validFrom),
      validTo: Date.parse(certificate.validTo),
      subject: certificate.subjectAltName ?? certificate.subject,
      covers: (host) =>
        (net.isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined,
    };
  } catch {
    // What is wrong with it is the problem that a hall would have.
    return undefined;
  }
}

const DAY_MS = 24 * 3_600_000;
/** Time enough to get another one. */
const SOON_DAYS = 14;
const OTHERS_MAY_READ = 0o044;

export function tlsFindings({ files, problem, certificate, keyMode, hosts, now }: TlsState): Finding[] {
  const { cert, key } = files;
  const findings = new Findings("tls", cert);
  const renew = `Put a new certificate at ${cert} and its key at ${key}, and call hall reload; docs/access.md says how to make one.`;
  if (problem !== undefined) findings.fault(problem, `Correct listen.tls in the roster, or: ${renew}`);
  if ((keyMode & OTHERS_MAY_READ) !== 0)
    findings.warning(`Other users may read the key ${key}.`, `chmod 600 ${key}`);
  if (certificate) {
    const { validFrom, validTo, subject } = certificate;
    const days = Math.floor((validTo - now) / DAY_MS);
    if (validTo < now) findings.fault(`The certificate expired on ${dayOf(validTo)}.`, renew);
    else if (days < SOON_DAYS)
      findings.warning(`The certificate expires on ${dayOf(validTo)}, in ${days} days.`, renew);
    if (validFrom > now)
      findings.fault(`The certificate is not valid before ${dayOf(validFrom)}.`, "Set the clock, or wait.");
    for (const host of hosts.filter((one) => !certificate.covers(one)))
      findings.warning(
        `The certificate is not for ${host}, where the hall listens, but for ${subject}: clients that connect by ${host} refuse it.`,
        `Connect by a name that it has, or have one made for ${host}.`,
      );
    findings.elseOk(`The certificate and its key match, and hold until ${dayOf(validTo)}`);
  }
  return findings.all;
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
