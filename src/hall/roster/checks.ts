import { isFields } from "../../acp/checks.ts";
import { isToolKind, TOOL_KINDS } from "../../acp/tool-kinds.ts";
import { parsePattern } from "../../permission/pattern.ts";
import { EFFECTS } from "../../permission/rule.ts";
import { isLoopbackHost, readAddress } from "./address.ts";
import { farHallFindings, farHallWarnings } from "./far-hall-checks.ts";
import { fetchingWarning } from "./fetching.ts";
import type { Finding } from "./finding.ts";
import { launchFindings, launchWarnings } from "./launching.ts";
import { Refusal } from "./leaf.ts";
import type { Path } from "./path.ts";
import { leadingNumber, nameFault } from "./slot-name.ts";
import { closest } from "./suggestion.ts";
import { readSwitch } from "./switch.ts";

/** What the checks need to know beside the roster. */
export interface CheckOptions {
  /** Ids that `agent` may name; undefined: any. */
  knownAgents?: readonly string[] | undefined;
}

type Keys = Readonly<Record<string, unknown>>;

const keysIn = (value: unknown): Keys => (isFields(value) ? value : {});
const itemsIn = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Variables that the hall itself sets in each agent's environment. */
const OWN_VARIABLES = ["HALL_PROCESS", "HALL_PERMISSION_SOCKET"];

/**
 * What no single key shows: names, and keys that must or must not stand together. It looks at the values as they
 * are, whatever else may be wrong with them, so that all faults are told at once.
 */
export function findingsIn(filled: unknown, options: CheckOptions): Finding[] {
  if (!isFields(filled ?? {})) return [];
  return [...listenFindings(keysIn(filled)), ...slotsFindings(filled, options)];
}

function slotsFindings(filled: unknown, options: CheckOptions): Finding[] {
  const slots = Object.entries(keysIn(keysIn(filled).slots));
  if (slots.length === 0) {
    const todo = "write at least one under slots, such as demo: { demo: true }";
    return [{ path: ["slots"], about: "key", what: "there is no slot", todo }];
  }
  const ofTop = ruleFindings(filled).map((finding) => ({
    ...finding,
    path: ["permission", ...finding.path],
  }));
  const ofSlots = slots.flatMap(([name, slot]) => {
    const found = [
      ...nameFindings(name),
      ...runFindings(keysIn(slot)),
      ...agentFindings(keysIn(slot).agent, options.knownAgents),
      ...adapterFindings(keysIn(slot)),
      ...farHallFindings(keysIn(slot)),
      ...variableFindings(keysIn(slot)),
      ...serverFindings(keysIn(slot)),
      ...ruleFindings(slot).map((finding) => ({ ...finding, path: ["permission", ...finding.path] })),
      ...sharingFindings(keysIn(slot)),
      ...launchFindings(keysIn(slot)),
    ];
    return found.map((finding) => ({ ...finding, path: ["slots", name, ...finding.path] }));
  });
  return [...ofTop, ...ofSlots];
}

const rulesIn = (place: unknown): unknown[] => itemsIn(keysIn(keysIn(place).permission).rules);

/** A rule is one of three things. */
function ruleFindings(place: unknown): Finding[] {
  return rulesIn(place).flatMap((rule, at): Finding[] => {
    if (!isFields(rule)) return [];
    const written = EFFECTS.filter((effect) => effect in rule);
    if (written.length === 1) return [];
    const what = written.length === 0 ? "this rule says nothing" : "this rule says several things";
    const todo =
      written.length === 0 ? "write allow, deny or ask with a pattern" : "make a rule of each, in order";
    return [{ path: ["rules", at], about: "key", what, todo }];
  });
}

/** A word that is nearly a kind of tool is taken for a tool's name, and then fits nothing. */
function ruleWarnings(place: unknown): Finding[] {
  return rulesIn(place).flatMap((rule, at) =>
    EFFECTS.flatMap((effect): Finding[] => {
      const pattern = keysIn(rule)[effect];
      const { head } = (typeof pattern === "string" && parsePattern(pattern)) || { head: "*" };
      const meant = isToolKind(head) || !/^[a-z_]+$/.test(head) ? undefined : closest(head, TOOL_KINDS);
      if (meant === undefined) return [];
      const what = "names no kind of tool, so it is taken for the name of a tool";
      return [
        { path: ["permission", "rules", at, effect], about: "value", what, todo: `did you mean ${meant}?` },
      ];
    }),
  );
}

/** What is said on a network can be read there: the token, and everything after it. */
function listenFindings({ listen, insecure }: Keys): Finding[] {
  const keys = keysIn(listen);
  if (isFields(keys.tls) || readSwitch(insecure)) return [];
  return ["tcp", "http"].flatMap((key): Finding[] => {
    const address = key in keys ? readAddress(keys[key]) : undefined;
    if (address === undefined || address instanceof Refusal || isLoopbackHost(address.host)) return [];
    const what = "can be reached from other machines, and without TLS everything can be read on the way";
    const todo =
      "write listen.tls, or insecure: true where the network is your own, or 127.0.0.1 as the host";
    return [{ path: ["listen", key], about: "value", what, todo }];
  });
}

function nameFindings(name: string): Finding[] {
  const fault = nameFault(name);
  return fault ? [{ path: [], about: "key", ...fault }] : [];
}

/** A slot runs one thing. `adapter` may have a `command`: it then stands for the adapter's program. */
function runFindings(slot: Keys): Finding[] {
  const ways = ["agent", "command", "demo", "adapter", "module", "hall"].filter((way) => {
    if (way === "demo" && readSwitch(slot[way]) === false) return false;
    return way in slot && !(way === "command" && "adapter" in slot);
  });
  if (ways.length === 1) return [];
  const [what, todo] =
    ways.length === 0
      ? ["it names nothing to run", "write command, agent, adapter, module, hall or demo: true"]
      : [`it names several things to run: ${ways.join(", ")}`, "keep one of them"];
  return [{ path: [], about: "key", what, todo }];
}

function agentFindings(agent: unknown, known: readonly string[] | undefined): Finding[] {
  if (typeof agent !== "string" || agent === "" || known === undefined || known.includes(agent)) return [];
  const meant = closest(agent, known);
  const todo = meant === undefined ? `known are ${known.join(", ")}` : `did you mean ${meant}?`;
  return [{ path: ["agent"], about: "value", what: "is not the id of a known agent", todo }];
}

/** A one-shot command must be named; what says how it is run and read is for it alone. */
function adapterFindings(slot: Keys): Finding[] {
  const oneShot = slot.adapter === "one-shot";
  const astray = ["preset", "output", "resume_args"]
    .filter((key) => key in slot && !oneShot)
    .map((key): Finding => {
      const todo = "take the key out, or write adapter: one-shot";
      return { path: [key], about: "key", what: "this is for one-shot commands alone", todo };
    });
  if ("adapter" in slot && slot.isolation === "slot") {
    const todo = "take the key out";
    const what = "a program behind an adapter serves one session";
    astray.push({ path: ["isolation"], about: "key", what, todo });
  }
  if (!oneShot) return astray;
  if (!("command" in slot) && !("preset" in slot)) {
    const todo = "write command, or preset: codex-exec or claude-print";
    return [...astray, { path: ["adapter"], about: "key", what: "this one-shot slot has no command", todo }];
  }
  const shadowed = ["output", "resume_args"].filter((key) => key in slot && "preset" in slot);
  const told = shadowed.map((key): Finding => {
    const what = "the preset says this already";
    return { path: [key], about: "key", what, todo: "take the key out, or the preset" };
  });
  return [...astray, ...told];
}

/** Names of environment variables, wherever a slot has some. */
function variableFindings(slot: Keys): Finding[] {
  const own = Object.keys(keysIn(slot.env)).flatMap((name) => variableFinding(name, ["env", name], "key"));
  const inherited = itemsIn(slot.env_inherit).flatMap((name, at) =>
    variableFinding(name, ["env_inherit", at], "value"),
  );
  const ofServers = itemsIn(slot.mcp_servers).flatMap((server, at) =>
    itemsIn(keysIn(server).env).flatMap((variable, index) =>
      variableFinding(keysIn(variable).name, ["mcp_servers", at, "env", index, "name"], "value"),
    ),
  );
  return [...own, ...inherited, ...ofServers];
}

function variableFinding(name: unknown, path: Path, about: Finding["about"]): Finding[] {
  const subject = about === "key" ? "this " : "";
  if (typeof name !== "string") return [];
  if (/[=\0]/.test(name) || (name === "" && about === "key")) {
    return [{ path, about, what: `${subject}cannot be the name of a variable`, todo: "take another" }];
  }
  if (!OWN_VARIABLES.includes(name)) return [];
  return [{ path, about, what: `${subject}is a variable that the hall sets itself`, todo: "take it out" }];
}

/** An agent knows its MCP servers by name. */
function serverFindings(slot: Keys): Finding[] {
  const seen = new Set<unknown>();
  return itemsIn(slot.mcp_servers).flatMap((server, at): Finding[] => {
    const { name } = keysIn(server);
    if (typeof name !== "string" || !seen.has(name)) {
      seen.add(name);
      return [];
    }
    const what = "is already the name of an MCP server of this slot";
    return [{ path: ["mcp_servers", at, "name"], about: "value", what, todo: "take another" }];
  });
}

/** In a process that sessions share there is no telling whose turn started what. */
function sharingFindings({ isolation, cancel_tools: cancelTools }: Keys): Finding[] {
  if (isolation !== "slot" || readSwitch(cancelTools) !== true) return [];
  const todo = "take one of the two keys out";
  return [{ path: ["cancel_tools"], about: "key", what: "it cannot go with isolation: slot", todo }];
}

/** What is allowed and does not do what it seems to. */
export function warningsIn(filled: unknown): Finding[] {
  const ofSlots = Object.entries(keysIn(keysIn(filled).slots)).flatMap(([name, slot]): Finding[] => {
    const found = [
      ...concurrencyWarnings(name, keysIn(slot)),
      ...fetchingWarning(keysIn(slot).command),
      ...launchWarnings(keysIn(slot)),
      ...farHallWarnings(keysIn(slot)),
      ...ruleWarnings(slot),
    ];
    return found.map((finding) => ({ ...finding, path: ["slots", name, ...finding.path] }));
  });
  return [...ruleWarnings(filled), ...ofSlots];
}

function concurrencyWarnings(name: string, { concurrency }: Keys): Finding[] {
  const number = leadingNumber(name);
  if (concurrency === undefined || number === undefined || Number(concurrency) === number) return [];
  const what = `it has no effect: by its name this slot runs ${number} at once`;
  return [{ path: ["concurrency"], about: "key", what, todo: "take the key out, or rename the slot" }];
}
