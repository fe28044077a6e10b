/**
 * An agent that the hall knows by name: how to get it, and what was seen of its ways. What a roster says of a slot
 * wins over all of it.
 */
export interface KnownAgent {
  /** Its id in the ACP registry. */
  readonly id: string;
  /** Other names that people know it by. */
  readonly aliases?: readonly string[];
  /** For menus. */
  readonly title: string;
  readonly description: string;
  readonly from: Npx | Uvx | Installed;
  readonly args?: readonly string[];
  /** Set in its environment, unless the roster sets it. */
  readonly env?: Readonly<Record<string, string>>;
  /** Variables that it takes a key from. None is let through: the roster says which. */
  readonly keys?: readonly string[];
  readonly ways?: KnownWays;
  /** What its `initialize` answered: told to clients until it has run here once. */
  readonly capabilities?: KnownCapabilities;
  readonly authMethods?: readonly KnownAuthMethod[];
}

/** An npm package. */
export interface Npx {
  readonly runner: "npx";
  readonly package: string;
  readonly version: string;
  /** The package's program. Undefined where it is not known: then npx finds it, and only npx. */
  readonly program?: string;
  /** Other programs have that name too: one on PATH is taken only if it comes from the package. */
  readonly commonName?: true;
}

/** A Python package, with a program of the same name. */
export interface Uvx {
  readonly runner: "uvx";
  readonly package: string;
  readonly version: string;
}

/** A program that people install themselves; the hall fetches no archives. */
export interface Installed {
  readonly runner: "none";
  readonly program: string;
  /** Where it is to be had. */
  readonly home: string;
}

export interface KnownWays {
  /** Who should serve fs/* (a slot's `fs`). */
  readonly fs?: "on" | "client" | "off";
  readonly terminal?: "on" | "client" | "off";
  /** Its commands go on after a cancel (a slot's `cancel_tools`). */
  readonly cancelTools?: boolean;
  /** It says that it can, and cannot. */
  readonly load?: false;
  readonly resume?: false;
  /** The mode in which it asks before it acts; where it is not named, the first one does. */
  readonly askingMode?: string;
  /** It acts without asking, in every mode. */
  readonly neverAsks?: true;
  /** A word in the command line of a daemon that it leaves behind, and shares between its processes. */
  readonly daemon?: string;
  /** One sentence for whoever sets it up. */
  readonly note?: string;
}

/** The part of ACP's agent capabilities that a client acts on. */
export interface KnownCapabilities {
  readonly loadSession?: boolean;
  readonly promptCapabilities?: Readonly<Partial<Record<"image" | "audio" | "embeddedContext", boolean>>>;
  readonly mcpCapabilities?: Readonly<Partial<Record<"http" | "sse", boolean>>>;
  readonly sessionCapabilities?: Readonly<
    Partial<Record<SessionCapability, Readonly<Record<string, never>>>>
  >;
}

type SessionCapability = "additionalDirectories" | "close" | "delete" | "fork" | "list" | "resume";

export interface KnownAuthMethod {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly type?: "terminal";
  readonly args?: readonly string[];
  readonly _meta?: Readonly<Record<string, unknown>>;
}
