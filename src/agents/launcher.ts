import { basename, resolve } from "node:path";

/** What stands between a launcher and the program behind it. */
export const LAUNCHER_KINDS = ["here", "ssh", "container"] as const;

/**
 * `here`: it becomes the program, or runs it, on this machine, with the folder, the environment and the signals that it
 * gets itself (`nice`, `env`). `ssh`: it hands one text to a shell on another machine. `container`: it hands words to
 * another machine or into a container as they are (`docker run -i`, `kubectl exec -i`).
 */
export type LauncherKind = (typeof LAUNCHER_KINDS)[number];

/** A slot's `launch`: what is put in front of its program. */
export interface Launcher {
  readonly program: string;
  readonly args: readonly string[];
  readonly kind: LauncherKind;
}

/** By the names that they are installed under. */
const KINDS: ReadonlyMap<string, LauncherKind> = new Map([
  ["ssh", "ssh"],
  ["docker", "container"],
  ["podman", "container"],
  ["nerdctl", "container"],
  ["kubectl", "container"],
  ["oc", "container"],
]);

/** What the name of a program says of it; undefined: it is none of those that lead elsewhere. */
export const knownKind = (program: string): LauncherKind | undefined => KINDS.get(basename(program));

/** The program runs where this machine's folders, programs and processes are not. */
export const isFar = (launcher: Pick<Launcher, "kind"> | undefined): boolean =>
  launcher !== undefined && launcher.kind !== "here";

/**
 * What a launcher itself needs of the hall's environment, beside the safe base: where the agent of its keys is, and
 * which engine or cluster it speaks with.
 */
export const LAUNCHER_VARIABLES: Readonly<Record<LauncherKind, readonly string[]>> = {
  here: [],
  ssh: ["SSH_AUTH_SOCK", "KRB5CCNAME"],
  container: [
    ...["DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG", "DOCKER_TLS_VERIFY", "DOCKER_CERT_PATH"],
    ...[
      "CONTAINER_HOST",
      "CONTAINER_CONNECTION",
      "CONTAINER_SSHKEY",
      "CONTAINERS_CONF",
      "REGISTRY_AUTH_FILE",
    ],
    ...["CONTAINERD_ADDRESS", "CONTAINERD_NAMESPACE", "KUBECONFIG"],
  ],
};

/** @param folder the roster's: a program with a path in it is meant from there */
export function launcherOf(
  [program = "", ...args]: readonly string[],
  kind: LauncherKind | undefined,
  folder: string,
): Launcher {
  return {
    program: program.includes("/") ? resolve(folder, program) : program,
    args,
    kind: kind ?? knownKind(program) ?? "here",
  };
}
