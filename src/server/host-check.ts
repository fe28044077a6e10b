import { addressOf } from "./arrivals.ts";

/** What a request says of itself, and the address that it came to. */
export interface Knock {
  /** The `Host` header. */
  host: string | undefined;
  /** The `Origin` header: a browser's, for a page of this origin. */
  origin: string | undefined;
  localAddress: string | undefined;
}

export interface HostCheckOptions {
  /** Origins of pages that may come. */
  origins: readonly string[];
  /** Names of ours beside `localhost` and our addresses, with or without a port. */
  hosts: readonly string[];
}

/**
 * Keeps out web pages that are not ours: those that say so in `Origin`, and those that made a name of theirs mean our
 * address (DNS rebinding), whose requests have that name as their `Host`.
 */
export class HostCheck {
  readonly #origins: ReadonlySet<string>;
  readonly #hosts: ReadonlySet<string>;

  constructor({ origins, hosts }: HostCheckOptions) {
    this.#origins = new Set(origins.map((origin) => origin.toLowerCase().replace(/\/$/, "")));
    this.#hosts = new Set(hosts.map((host) => host.toLowerCase()));
  }

  /** Which of the two is wrong; undefined: neither. */
  fault({ host, origin, localAddress }: Knock): "host" | "origin" | undefined {
    if (!this.#isOurs(host, localAddress)) return "host";
    return origin === undefined || this.#isWelcome(origin, host) ? undefined : "origin";
  }

  #isOurs(host: string | undefined, localAddress: string | undefined): boolean {
    const name = host?.toLowerCase();
    if (name === undefined || !URL.canParse(`http://${name}`)) return false;
    const { hostname } = new URL(`http://${name}`);
    if (hostname === "localhost" || this.#hosts.has(hostname) || this.#hosts.has(name)) return true;
    return (
      localAddress !== undefined && hostname === new URL(`http://${addressOf(localAddress, 1)}`).hostname
    );
  }

  #isWelcome(origin: string, host: string | undefined): boolean {
    const page = origin.toLowerCase();
    return this.#origins.has(page) || page === `http://${host}` || page === `https://${host}`;
  }
}
