import type { SecureContextOptions, TlsOptions } from "node:tls";
import type { Clock } from "../ground/clock.ts";
import type { Disk } from "../ground/disk.ts";
import type { Addresses } from "../hall/addresses.ts";
import type { Refused } from "../hall/events.ts";
import type { Hall } from "../hall/hall.ts";
import type { Origin } from "../hall/origin.ts";
import { isLoopbackHost, type TcpAddress } from "../hall/roster/address.ts";
import type { Roster } from "../hall/roster.ts";
import type { RosterInForce } from "../hall/roster-in-force.ts";
import type { State } from "../hall/state.ts";
import type { Shares } from "../wire/shares.ts";
import type { Admission } from "./admission.ts";
import { tlsOptions } from "./certificate.ts";
import type { HttpListener } from "./http-listener.ts";
import { ListenFailed } from "./listen.ts";
import type { Ends } from "./same-user.ts";
import { TcpListener } from "./tcp-listener.ts";
import type { Tokens } from "./tokens.ts";

export interface DoorsParts {
  roster: RosterInForce;
  clock: Clock;
  shares: Shares;
  hall: Hall;
  tokens: Tokens;
  admission: Admission;
  state: State;
  disk: Disk;
  isSameUser?(ends: Ends): boolean;
  /** Somebody who was let in vanished without a word while there was something to tell. */
  lost(address: string): void;
  report(error: Error): void;
}

/** The ways in that others than the hall's own user may come by. */
export interface Doors {
  listeners: { close(): void }[];
  /** Those that health and metrics are seen by, also while the hall stops. */
  windows: { close(): void }[];
  addresses: { tcp: Addresses["tcp"]; http: Addresses["http"] };
  /** The roster has become another. `certificates`: as they are now, where the doors speak TLS. */
  takeUp(certificates: SecureContextOptions | undefined): void;
}

/** Opens what the roster says. Rejects with a sentence; then nothing is open. */
export async function openDoors(parts: DoorsParts): Promise<Doors> {
  const { roster, hall, tokens } = parts;
  const { listen } = roster.now;
  mustHaveTokens(roster.now, tokens);
  const common = {
    ...parts,
    trustLoopback: () => roster.now.trustLoopback,
    tls: listen.tls && tlsOptions(listen.tls),
    tokens: () => tokens.all.length > 0,
    accept: hall.accept.bind(hall),
    refused: ({ via, address }: Origin, why: Refused): void =>
      hall.events.emit("client.refused", { via, address, why }),
  };
  const tcp = listen.tcp && (await TcpListener.open({ ...common, ...listen.tcp }));
  try {
    const http =
      listen.http &&
      (await openHttp({ ...parts, ...common, ...listen.http, listeners: () => (tcp ? [tcp] : []) }));
    return {
      listeners: tcp ? [tcp] : [],
      windows: http ? [http] : [],
      addresses: { tcp: tcp?.address ?? null, http: http?.address ?? null },
      takeUp(certificates) {
        if (certificates) tcp?.renew(certificates);
        http?.takeUp(certificates);
      },
    };
  } catch (error) {
    tcp?.close();
    throw error;
  }
}

interface HttpParts extends Omit<DoorsParts, "tokens">, TcpAddress {
  tls: TlsOptions | undefined;
  trustLoopback(): boolean;
  refused(origin: Origin, why: Refused): void;
  listeners(): Iterable<{ readonly isOpen: boolean }>;
}

/** Its libraries are read only where there is such a port: most halls have none. */
async function openHttp({
  roster,
  clock,
  disk,
  state,
  hall,
  shares,
  listeners,
  ...rest
}: HttpParts): Promise<HttpListener> {
  const [{ HttpListener }, { Metrics }, { WebSocketDoor }, { Health }] = await Promise.all([
    import("./http-listener.ts"),
    import("./metrics.ts"),
    import("./websocket-door.ts"),
    import("./health.ts"),
  ]);
  const stopping = (): boolean => hall.stopping;
  const metrics = new Metrics(hall);
  return HttpListener.open({
    ...rest,
    clients: () => roster.now.limits.clients,
    pages: () => roster.now.http,
    stopping,
    metrics,
    health: new Health({ clock, disk, folder: state.folder, stopping, listeners }),
    door: new WebSocketDoor({
      clock,
      limit: () => roster.now.limits.line,
      shares,
      accept: hall.accept.bind(hall),
    }),
  });
}

/** Throws when other machines could knock and nobody of them could come in. */
function mustHaveTokens({ listen, tokensFile }: Roster, tokens: Tokens): void {
  for (const address of [listen.tcp, listen.http]) {
    if (!address || isLoopbackHost(address.host) || tokens.all.length > 0) continue;
    throw new ListenFailed(
      `${address.host}:${address.port}`,
      `other machines can reach it, and there are no tokens in ${tokensFile}. Make one with hall token add.`,
      undefined,
    );
  }
}
