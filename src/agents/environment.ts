/** An environment as Node has it: a name without a value is not set. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface EnvironmentParts {
  /** The hall's own environment. Only what is on the list below passes. */
  host: Environment;
  /** Names let through beside the list: a slot's `env_inherit`. */
  inherit?: readonly string[];
  /** What the agent needs to be set, as the launch or the list of known agents says. */
  agent?: Environment;
  /** A slot's `env`. What the roster says wins. */
  slot?: Environment;
}

const NAMES = new Set([
  "PATH",
  "HOME",
  "USER",
  "LANG",
  "TERM",
  "TMPDIR",
  "SHELL",
  "TZ",
  "NODE_EXTRA_CA_CERTS",
  ...["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"].flatMap((name) => [name, name.toLowerCase()]),
]);
const FAMILIES = ["LC_", "XDG_"];

const isSafe = (name: string): boolean =>
  NAMES.has(name) || FAMILIES.some((family) => name.startsWith(family));

/**
 * Whether `env_inherit` may name it. The hall's own variables (its token among them) never pass from the hall
 * to an agent: an agent that gets one gets it from `env`, where somebody wrote it down.
 */
export const mayInherit = (name: string): boolean => !name.startsWith("HALL_");

/**
 * The environment of an agent's child. An allow-list: what a hall was started with (cloud keys, tokens, an
 * `IS_SANDBOX` of the shell around it) is nobody's business but the hall's, and has changed how agents behave.
 */
export function childEnvironment(parts: EnvironmentParts): { [name: string]: string } {
  const base = Object.entries(parts.host).filter(([name]) => isSafe(name));
  return valuesOf([...base, ...ownOf(parts)]);
}

/** What an agent gets that runs elsewhere: PATH, HOME and the like are what they are there. */
export const farEnvironment = (parts: EnvironmentParts): { [name: string]: string } => valuesOf(ownOf(parts));

/** Of what leads there: it runs here, and what is set for the agent is none of its business. */
export const launcherEnvironment = ({
  host,
  inherit,
}: Pick<EnvironmentParts, "host" | "inherit">): { [name: string]: string } =>
  childEnvironment({ host, ...(inherit && { inherit }) });

/** What was asked for by name, or set. */
function ownOf({
  host,
  inherit = [],
  agent = {},
  slot = {},
}: EnvironmentParts): [string, string | undefined][] {
  const asked = new Set(inherit.filter(mayInherit));
  const passed = Object.entries(host).filter(([name]) => asked.has(name));
  return [...passed, ...Object.entries(agent), ...Object.entries(slot)];
}

function valuesOf(entries: readonly [string, string | undefined][]): { [name: string]: string } {
  const values: { [name: string]: string } = {};
  for (const [name, value] of entries) if (value !== undefined) values[name] = value;
  return values;
}
