/** What a unit is about. Paths are absolute. */
export interface UnitParts {
  /** Node, and the program that it runs. */
  node: string;
  program: string;
  roster: string;
  /** `PATH`: where agents are, and what they call. A user's services get another one otherwise. */
  path: string;
}

/**
 * A systemd user unit for a hall (systemd.service(5)).
 *
 * - A stop goes to the hall alone, which lets turns end and sees to its agents; what is left then is killed.
 * - A roster that is wrong (exit code 2) is as wrong at the next start: no restart until somebody mends it.
 * - Nothing is kept from it (`ProtectHome` and its like): agents work on what their user works on.
 */
export const systemdUnit = ({ node, program, roster, path }: UnitParts): string =>
  `# Made by hall install. What you want otherwise: systemctl --user edit hall
[Unit]
Description=A hall for coding agents
StartLimitIntervalSec=300
StartLimitBurst=5

[Service]
Type=exec
ExecStart=${[quoted(node), ...[program, "serve", "--config", roster].map(argument)].join(" ")}
ExecReload=/bin/kill -HUP $MAINPID
Environment=${quoted(`PATH=${path}`)}
Restart=on-failure
RestartSec=2
RestartPreventExitStatus=2
KillMode=mixed
TimeoutStopSec=60

[Install]
WantedBy=default.target
`;

/** After the program's own name, `$` would begin a variable. */
const argument = (text: string): string => quoted(text).replaceAll("$", "$$$$");

/** One word, whatever is in it: systemd reads quotes and C's escapes, and `%` as a specifier (systemd.syntax(7)). */
function quoted(text: string): string {
  const escaped = text.replace(/[\\"]/g, "\\$&").replaceAll("%", "%%");
  return `"${escaped.replaceAll("\n", "\\n").replaceAll("\t", "\\t")}"`;
}
