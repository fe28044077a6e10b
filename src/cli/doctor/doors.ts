import { messageOf } from "../../ground/thrown.ts";
import { isLoopbackHost } from "../../hall/roster/address.ts";
import type { Roster } from "../../hall/roster.ts";
import { readTokens } from "../../server/token-file.ts";
import { type Finding, Findings } from "./finding.ts";

/** Who could come in from outside. */
export interface Doors {
  tokensFile: string;
  /** How many there are; or why the file cannot be used. */
  tokens: number | { problem: string };
  /** Addresses, `host:port`, that other machines can reach. */
  open: readonly string[];
  listens: boolean;
  trustLoopback: boolean;
  insecure: boolean;
  isRoot: boolean;
}

export function doorsOf({ tokensFile, listen, trustLoopback, insecure }: Roster): Doors {
  const addresses = [listen.tcp, listen.http].filter((address) => address !== undefined);
  return {
    tokensFile,
    tokens: tokensIn(tokensFile),
    open: addresses
      .filter(({ host }) => !isLoopbackHost(host))
      .map(({ host, port }) => `${host.includes(":") ? `[${host}]` : host}:${port}`),
    listens: addresses.length > 0,
    trustLoopback,
    insecure,
    isRoot: process.geteuid?.() === 0,
  };
}

function tokensIn(file: string): number | { problem: string } {
  try {
    return readTokens(file).length;
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

export const doorFindings = (doors: Doors): Finding[] => [
  ...tokenFindings(doors),
  ...exposureFindings(doors),
];

/** Whether the tokens file can be used, and has what the doors need. */
export function tokenFindings({ tokensFile, tokens, open }: Doors): Finding[] {
  const findings = new Findings("tokens", tokensFile);
  if (typeof tokens !== "number")
    findings.fault(
      tokens.problem,
      `chmod 600 ${tokensFile}, if that is it; or move it away, and make new tokens: hall token add NAME`,
    );
  else if (tokens === 0 && open.length > 0)
    findings.fault(
      `Other machines can reach ${open.join(" and ")}, and there are no tokens: a hall does not start like this.`,
      "hall token add NAME",
    );
  const count = typeof tokens === "number" ? tokens : 0;
  return findings.elseOk(
    count === 0
      ? "Only this machine can reach it, and it has no tokens"
      : `${count} ${count === 1 ? "token" : "tokens"}`,
  ).all;
}

/** What lets in more than was perhaps meant. */
function exposureFindings({ insecure, trustLoopback, listens, isRoot }: Doors): Finding[] {
  const findings = new Findings("exposure");
  if (insecure)
    findings.warning(
      "insecure is on: tokens, and all that is said, can be read on the network and changed there.",
      "Give it a certificate (listen.tls, docs/access.md), and take insecure out.",
    );
  if (trustLoopback && listens)
    findings.warning(
      "trust_loopback is on: every user of this machine may run programs as this one.",
      "Take trust_loopback out of the roster.",
    );
  if (isRoot && listens)
    findings.warning(
      "A hall of this user runs as root, and its agents do.",
      "Run it as a user of its own, or in a container: docs/container.md",
    );
  return findings.all;
}
