import { HOLE } from "./glob.ts";

/** What a command runs besides itself: a program and its arguments, a script, or something that cannot be told. */
export type InnerCommand = { readonly argv: readonly string[] } | { readonly script: string } | "untold";

/** How a program that runs another one takes its own options, before the other's name. */
interface Wrapper {
  /** Letters of options whose value is a word of its own. */
  letters?: string;
  /** Long options whose value is a word of its own. */
  long?: readonly string[];
  /** Words of its own between the options and the program. */
  words?: number;
  /** `NAME=value` may stand before the program. */
  assigns?: true;
  /** What it runs gets more arguments than are written. */
  adds?: true;
}

const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map(
  Object.entries<Wrapper>({
    builtin: {},
    caffeinate: { letters: "tw" },
    chronic: {},
    chroot: { long: ["--userspec", "--groups"], words: 1 },
    command: {},
    doas: { letters: "uC" },
    env: { letters: "uC", long: ["--unset", "--chdir"], assigns: true },
    exec: { letters: "a" },
    flock: { letters: "wE", long: ["--timeout", "--conflict-exit-code"], words: 1 },
    ionice: { letters: "cn", long: ["--class", "--classdata"] },
    ltrace: { letters: "eop" },
    nice: { letters: "n", long: ["--adjustment"] },
    nohup: {},
    parallel: { letters: "jNS", adds: true },
    setsid: {},
    stdbuf: { letters: "ioe", long: ["--input", "--output", "--error"] },
    strace: { letters: "eopsEu" },
    sudo: {
      letters: "CDghpRrTtUu",
      long: ["--user", "--group", "--host", "--prompt", "--chdir", "--chroot", "--role", "--type"],
      assigns: true,
    },
    taskset: { words: 1 },
    time: { letters: "fo", long: ["--format", "--output"] },
    timeout: { letters: "ks", long: ["--kill-after", "--signal"], words: 1 },
    unbuffer: {},
    unshare: {},
    watch: { letters: "n", long: ["--interval"] },
    xargs: {
      letters: "adEILnPs",
      long: ["--arg-file", "--delimiter", "--max-args", "--max-procs"],
      adds: true,
    },
  }),
);

const SHELLS: ReadonlySet<string> = new Set(["sh", "bash", "dash", "zsh", "ksh", "ash", "mksh", "rbash"]);

/** Programs whose arguments another program, a shell or an interpreter runs: no first word says what they do. */
const INTERPRETERS: ReadonlySet<string> = new Set(
  [
    "python python2 python3 node deno bun ruby perl php lua Rscript osascript",
    "npx bunx uvx pipx pnpx tsx ts-node java go cargo dotnet make",
    "ssh docker podman kubectl busybox fish pwsh awk gawk sed vim ed gdb",
    "find eval source . trap script su tmux screen systemd-run at crontab",
  ].flatMap((names) => names.split(" ")),
);

/** A program's name without its folder. */
export const baseName = (program: string): string => program.slice(program.lastIndexOf("/") + 1);

/** The program runs what it is given: neither its name nor its first argument says what is done. */
export function runsOthers(program: string): boolean {
  const name = baseName(program);
  const unversioned = name.replace(/[\d.]+$/, "");
  return [name, unversioned].some(
    (known) => WRAPPERS.has(known) || SHELLS.has(known) || INTERPRETERS.has(known),
  );
}

/** What this program, with these arguments, runs besides itself. */
export function innerCommands(argv: readonly string[]): InnerCommand[] {
  const name = baseName(argv[0] ?? "");
  const rest = argv.slice(1);
  if (SHELLS.has(name)) return shellScript(rest);
  if (name === "eval") return rest.length === 0 ? [] : [{ script: rest.join(" ") }];
  if (name === "trap") return rest.slice(0, 1).map((script) => ({ script }));
  if (name === "find") return executedByFind(rest);
  if (name === "busybox") return rest.length === 0 ? [] : [{ argv: rest }];
  const wrapper = WRAPPERS.get(name);
  if (!wrapper) return [];
  const split = name === "env" ? splitString(rest) : undefined;
  return split ? [split] : wrapped(wrapper, rest);
}

/** `-c`, also in a cluster like `-lc`, makes the first word that is no option the script. Without a file it reads stdin. */
function shellScript(rest: readonly string[]): InnerCommand[] {
  let isScript = false;
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at] ?? "";
    if (word.startsWith(HOLE)) return ["untold"];
    if (word === "--") continue;
    if (!/^[-+]./.test(word)) return isScript ? [{ script: word }] : [];
    if (word === "-o" || word === "+o" || word === "-O" || word === "+O" || word === "--rcfile") at++;
    else if (/^-[a-z]*c/i.test(word) && !word.startsWith("--")) isScript = true;
    // `-euo pipefail`: the cluster's last letter takes the next word.
    if (/^[-+][a-z]+o$/i.test(word)) at++;
  }
  return ["untold"];
}

function wrapped(wrapper: Wrapper, rest: readonly string[]): InnerCommand[] {
  const { letters = "", long = [], words = 0, assigns, adds } = wrapper;
  let at = 0;
  for (; at < rest.length; at++) {
    const word = rest[at] ?? "";
    if (word.startsWith(HOLE)) return ["untold"];
    if (word === "--") {
      at++;
      break;
    }
    if (word.startsWith("--")) at += long.includes(word) ? 1 : 0;
    else if (/^-./.test(word)) at += takesNext(word, letters) ? 1 : 0;
    else if (!(assigns && /^\w+=/.test(word))) break;
  }
  const argv = rest.slice(at + words);
  if (argv.length === 0) return [];
  return [{ argv: adds ? [...argv, HOLE] : argv }];
}

/** In a cluster the first letter with a value has the rest of the word for it, or else the next word. */
function takesNext(cluster: string, letters: string): boolean {
  const at = [...cluster].findIndex((letter, index) => index > 0 && letters.includes(letter));
  return at !== -1 && at === cluster.length - 1;
}

/** `env -S "program argument"`: env takes the text apart itself. */
function splitString(rest: readonly string[]): InnerCommand | undefined {
  const at = rest.findIndex((word) => /^(?:-[a-z0-9]*S|--split-string)/i.test(word));
  if (at === -1) return undefined;
  const attached = (rest[at] ?? "").replace(/^(?:-[a-z0-9]*?S|--split-string)=?/, "");
  return { script: [attached, ...rest.slice(at + 1)].join(" ") };
}

function executedByFind(rest: readonly string[]): InnerCommand[] {
  return rest.flatMap((word, at): InnerCommand[] => {
    if (!/^-(?:exec|ok)(?:dir)?$/.test(word)) return [];
    const after = rest.slice(at + 1);
    const end = after.findIndex((later) => later === ";" || later === "+");
    const argv = (end === -1 ? after : after.slice(0, end)).map((part) => part.replaceAll("{}", HOLE));
    return argv.length === 0 ? [] : [{ argv }];
  });
}
