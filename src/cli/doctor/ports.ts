import net from "node:net";
import { systemTable } from "../../agents/system-table.ts";
import { codeOf } from "../../ground/thrown.ts";
import type { RunningHall } from "../../hall/addresses.ts";
import type { TcpAddress } from "../../hall/roster/address.ts";
import type { Roster } from "../../hall/roster.ts";
import { type Finding, Findings } from "./finding.ts";
import { listenerOn } from "./port-listener.ts";

/** A port that the roster wants, tried for a moment. */
export interface Port {
  /** As the roster says it: `tcp` or `http`. */
  door: "tcp" | "http";
  address: TcpAddress;
  /** Node's code for why it cannot be had; undefined: it can. */
  refusal: string | undefined;
  /** Who listens there, where the system shows it. */
  listener: { pid: number; command: string } | undefined;
}

/** The ports that a start would want. Those of a hall that runs are its own, and not tried. */
export async function portsOf({ listen }: Roster): Promise<Port[]> {
  const doors = (["tcp", "http"] as const).flatMap((door) => {
    const address = listen[door];
    return address && address.port !== 0 ? [{ door, address }] : [];
  });
  return Promise.all(
    doors.map(async ({ door, address }) => {
      const refusal = await refusalAt(address);
      const pid = refusal === "EADDRINUSE" ? listenerOn(address.port) : undefined;
      const listener = pid === undefined ? undefined : { pid, command: commandOf(pid) };
      return { door, address, refusal, listener };
    }),
  );
}

const commandOf = (pid: number): string => systemTable().commandLine(pid).join(" ");

function refusalAt({ host, port }: TcpAddress): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once("error", (error) => resolve(codeOf(error) ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

export function portFindings(ports: readonly Port[], running: readonly RunningHall[]): Finding[] {
  return ports.flatMap((port) => {
    const told = showTcp(port.address);
    const findings = new Findings("port", told);
    const { refusal, door } = port;
    if (refusal === "EADDRINUSE")
      findings.fault(
        `${told} is taken by ${takenBy(port, running)}.`,
        `Stop it, or choose another port in the roster (listen: { ${door}: 0 } takes any that is free).`,
      );
    else if (refusal === "EACCES")
      findings.fault(
        `${told} may not be listened on by this user: ports below 1024 are root's.`,
        `Choose a higher port in the roster: listen: { ${door}: 7420 }`,
      );
    else if (refusal === "EADDRNOTAVAIL" || refusal === "ENOTFOUND")
      findings.fault(
        `${told} is no address of this machine (${refusal}).`,
        `Name one that is, or 127.0.0.1, in the roster under listen.${door}.`,
      );
    else if (refusal !== undefined)
      findings.fault(`${told} cannot be listened on (${refusal}).`, `Change listen.${door} in the roster.`);
    return findings.elseOk(`${told} is free`).all;
  });
}

const showTcp = ({ host, port }: TcpAddress): string =>
  host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;

function takenBy({ address, listener }: Port, running: readonly RunningHall[]): string {
  const hall = running.find(({ pid, addresses }) => {
    const ports = [addresses.tcp, addresses.http].map((text) => Number(text?.split(":").at(-1)));
    return pid === listener?.pid || ports.includes(address.port);
  });
  if (hall) return `the hall of ${hall.roster} (pid ${hall.pid})`;
  if (!listener) return "another program";
  return `process ${listener.pid}${listener.command === "" ? "" : ` (${listener.command.slice(0, 120)})`}`;
}
