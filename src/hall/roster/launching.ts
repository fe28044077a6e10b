import { basename } from "node:path";
import { isFields } from "../../acp/checks.ts";
import { isShellName } from "../../agents/behind.ts";
import { knownKind, LAUNCHER_KINDS, type LauncherKind } from "../../agents/launcher.ts";
import type { Finding } from "./finding.ts";
import { readSwitch } from "./switch.ts";

type Keys = Readonly<Record<string, unknown>>;

/** A slot's `launch`, as far as it can be read. */
interface Written {
  words: readonly unknown[];
  kind: LauncherKind;
}

function writtenIn({ launch, launch_kind: named }: Keys): Written | undefined {
  if (!Array.isArray(launch) || launch.length === 0) return undefined;
  const words: readonly unknown[] = launch;
  const kind = LAUNCHER_KINDS.find((one) => one === named) ?? kindOf(words[0]) ?? "here";
  return { words, kind };
}

const kindOf = (word: unknown): LauncherKind | undefined =>
  typeof word === "string" ? knownKind(word) : undefined;

/** What cannot go with `launch`, or cannot work in it. */
export function launchFindings(slot: Keys): Finding[] {
  const written = writtenIn(slot);
  if (!written) {
    if (!("launch_kind" in slot)) return [];
    const what = "this says what launch is, and there is none";
    return [{ path: ["launch_kind"], about: "key", what, todo: "write launch, or take the key out" }];
  }
  const empty: Finding[] =
    written.words[0] === ""
      ? [{ path: ["launch", 0], about: "value", what: "says nothing", todo: "write the program to run" }]
      : [];
  if (written.kind === "here") return empty;
  return [
    ...empty,
    ...wordFindings(written),
    ...ownProgramFindings(slot),
    ...hereFindings(slot),
    ...nameFindings(slot),
  ];
}

/** ACP goes over stdin and stdout: a terminal garbles it, and without stdin there is none. */
function wordFindings({ words, kind }: Written): Finding[] {
  const found = words.flatMap((word, at): Finding[] => {
    if (typeof word !== "string" || !TERMINAL[kind].test(word)) return [];
    const what = "gives the agent a terminal, which garbles what it says";
    const todo = kind === "container" ? "write -i alone" : "take it out";
    return [{ path: ["launch", at], about: "value", what, todo }];
  });
  const starts = words.some((word) => word === "run" || word === "exec");
  const isHeard = words.some((word) => typeof word === "string" && OPEN_INPUT.test(word));
  // What is another program by this kind may have ways of its own.
  if (kind !== "container" || !starts || isHeard || kindOf(words[0]) !== kind) return found;
  return [
    ...found,
    {
      path: ["launch"],
      about: "key",
      what: "without -i nothing that is said reaches the agent",
      todo: "write -i",
    },
  ];
}

const TERMINAL: Readonly<Record<LauncherKind, RegExp>> = {
  here: /^$/,
  ssh: /^-t+$/,
  container: /^(-t|-it|-ti|--tty(=true)?)$/,
};
const OPEN_INPUT = /^(-[a-z]*i[a-z]*|--interactive(=true)?|--stdin(=true)?)$/;

/** What is the hall's own program is where the hall is. */
function ownProgramFindings(slot: Keys): Finding[] {
  const found: Finding[] = [];
  const [program]: readonly unknown[] = Array.isArray(slot.command) ? slot.command : [];
  if (typeof program === "string" && program.includes("/") && !program.startsWith("/")) {
    const what = "is a path from a folder of this machine, which is not where launch leads";
    found.push({
      path: ["command", 0],
      about: "value",
      what,
      todo: "write it from the root, or a name on PATH there",
    });
  }
  if ("module" in slot) {
    const what = "a module runs in the hall's own Node, which is not where launch leads";
    const todo = "install hall there, and write command: [hall, agent, /path/there/agent.mjs]";
    found.push({ path: ["module"], about: "key", what, todo });
  }
  if (readSwitch(slot.demo) === true) {
    const what = "the demo agent is a program of this hall, which is not where launch leads";
    found.push({ path: ["demo"], about: "key", what, todo: "write command or agent" });
  }
  return found;
}

/** What the hall does on its own machine. */
function hereFindings(slot: Keys): Finding[] {
  const served = ["fs", "terminal"].filter((key) => readSwitch(slot[key]) === true);
  const found = served.map((key): Finding => {
    const what = "is not possible: the agent runs elsewhere, and the hall has only its own machine to serve";
    return { path: [key], about: "value", what, todo: "write client, or off" };
  });
  if (readSwitch(slot.cancel_tools) !== true) return found;
  const what = "the agent runs elsewhere, where the hall sees no processes";
  return [...found, { path: ["cancel_tools"], about: "key", what, todo: "take the key out" }];
}

/** They are set by a shell there. */
function nameFindings({ env, env_inherit: inherit }: Keys): Finding[] {
  const what = "cannot be set by the shell that starts the agent there";
  const todo = "take a name of letters, digits and _";
  const own = isFields(env) ? Object.keys(env).filter((name) => !isShellName(name)) : [];
  const inherited = Array.isArray(inherit) ? inherit : [];
  return [
    ...own.map((name): Finding => ({ path: ["env", name], about: "key", what: `this ${what}`, todo })),
    ...inherited.flatMap((name: unknown, at): Finding[] =>
      typeof name !== "string" || name === "" || isShellName(name)
        ? []
        : [{ path: ["env_inherit", at], about: "value", what, todo }],
    ),
  ];
}

/** What works otherwise than it looks. */
export function launchWarnings(slot: Keys): Finding[] {
  const written = writtenIn(slot);
  if (!written) return [];
  const { words, kind } = written;
  const far =
    kind === "here" && !("launch_kind" in slot) ? words.slice(1).find((word) => kindOf(word)) : undefined;
  if (far !== undefined) {
    const what = `the name of its program does not tell that it leads elsewhere, as ${String(far)} does`;
    const todo = "write launch_kind: ssh or container, or launch_kind: here if it does not";
    return [{ path: ["launch"], about: "key", what, todo }];
  }
  const cluster = typeof words[0] === "string" && ["kubectl", "oc"].includes(basename(words[0]));
  if (!cluster || !words.includes("run") || words.some((word) => String(word).startsWith("--restart")))
    return [];
  const what = "a pod of kubectl run is started again when its agent ends";
  return [{ path: ["launch"], about: "key", what, todo: "write --restart=Never" }];
}
