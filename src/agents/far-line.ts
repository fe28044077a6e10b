/** What is to run far away, and how it is to end. */
export interface FarProgram {
  program: string;
  args: readonly string[];
  /** There. Undefined: where the launcher leads. */
  cwd: string | undefined;
  /** Set there, beside what is set there anyway. Names are those of a shell's variables. */
  env: Readonly<Record<string, string>>;
  /** `HALL_PROCESS=…`, by which it and all that comes of it are known there. */
  mark: string;
  /** Seconds, whole, at least 1: from the end of its stdin to SIGTERM, and from there to SIGKILL. */
  grace: number;
}

/**
 * What is run far away, always the same: a shell that reads one line and does what that says. A POSIX shell reads byte
 * by byte, so what follows the line on its stdin is left for the program. It has no quote of its own kind in it, and
 * nothing that another shell (fish, tcsh) would take otherwise.
 */
export const FAR_SHELL = 'IFS= read -r hall && eval "$hall"';

const statements = (lines: readonly string[]): string => lines.join("; ");

/**
 * The line that starts a program far away, and ends it there when its stdin ends, however that comes about: closed by
 * the hall, or because the launcher, the connection or the hall is gone. Folder, environment and arguments go this way
 * and not by argv, which others can read, here and there.
 *
 * Three run beside each other. One feeds the program from stdin; the program; and one that watches: it hears of the
 * end of stdin and of the program by the pipe at 5, sends SIGTERM and SIGKILL in their time, and at last ends whatever
 * still bears the mark (agents start their commands in sessions of their own). Nothing that the program is descends
 * from a job in the background: a shell has those ignore SIGINT.
 */
export function farLine({ program, args, cwd, env, mark, grace }: FarProgram): string {
  const told = cwd === undefined ? "" : quoted(`hall: the folder ${cwd} is not there, or may not be entered`);
  const missing = quoted(`hall: there is no program ${program} there; install it, or set PATH in env`);
  return `${statements([
    `h_n=$(printf '\\nx'); h_n=\${h_n%x}`,
    ...Object.entries(env).map(([name, value]) => `export ${name}=${quoted(value)}`),
    ...(cwd === undefined ? [] : [`cd -- ${quoted(cwd)} 2>/dev/null || { echo ${told} >&2; exit 1; }`]),
    `set -- ${[program, ...args].map(quoted).join(" ")}`,
    `command -v -- "$1" >/dev/null 2>&1 || { echo ${missing} >&2; exit 127; }`,
    `h_m=${quoted(mark)}`,
    "command -v setsid >/dev/null 2>&1 && h_s=setsid || h_s=",
    "exec 3<&0 4>&1",
    `{ ${FEEDER} | ${PROGRAM}; } 5>&1 | ${watcher(grace)}`,
  ])}\n`;
}

/** `cat` is known by its number, so that the watcher can end it. */
const FEEDER = `{ ${statements([
  `cat <&3 4>&- 5>&- & h_c=$!`,
  `echo "feeder $h_c" >&5`,
  `wait "$h_c"`,
  `echo eof >&5`,
])}; } 4>&- 2>/dev/null`;

/** In a session of its own where there is `setsid`, so that a signal reaches all of its group. */
const PROGRAM = `{ ${statements([
  `env "$h_m" sh -c 'echo "program $$" >&5; exec "$@" >&4 3<&- 4>&- 5>&-' sh $h_s "$@"`,
  `echo "over $?" >&5`,
])}; }`;

const watcher = (grace: number): string =>
  `{ ${statements([
    "h_x=1",
    "h_t=",
    "h_f=",
    `h_sig() { kill -s "$1" -- "-$h_a" || kill -s "$1" "$h_a"; }`,
    `h_left() { ${MARKED}; }`,
    `while read -r h_w h_v; do case $h_w in program) h_a=$h_v;; feeder) h_f=$h_v;; eof) h_f=; ${timer(grace)} & h_t=$!;; over) h_x=$h_v; break;; esac; done`,
    "kill $h_f $h_t",
    "h_l=$(h_left)",
    `[ -z "$h_l" ] || { kill -s TERM $h_l; sleep 1; h_l=$(h_left); [ -z "$h_l" ] || kill -s KILL $h_l; }`,
    `exit "$h_x"`,
  ])}; } 2>/dev/null 3<&- 4>&-`;

const timer = (grace: number): string =>
  `{ ${statements([
    `trap 'kill "$h_z"; exit' TERM`,
    `for h_w in TERM KILL; do sleep ${grace} & h_z=$!; wait "$h_z"; h_sig "$h_w"; done`,
  ])}; } </dev/null >/dev/null`;

/** A grep that cannot look behind a zero byte (busybox) is not asked which processes are worth a closer look. */
const MARKED = `${statements([
  `if printf 'a\\0b' | grep -qF b`,
  `then grep -slF "$h_m" /proc/[0-9]*/environ`,
  `else printf '%s\\n' /proc/[0-9]*/environ`,
  `fi | while read -r h_e`,
  `do tr '\\0' '\\n' <"$h_e" | grep -qxF "$h_m" && h_e=\${h_e#/proc/} && echo "\${h_e%/environ}"`,
  "done",
])}`;

/** One word of the line, which has no line end in it but its own: `h_n` stands for one. */
const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`).replaceAll("\n", `'"$h_n"'`)}'`;
