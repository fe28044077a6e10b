import type { Fields } from "../../../acp/checks.ts";

/** How much Codex may do by itself: when it asks, and what its sandbox lets through. */
interface Mode {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly approvalPolicy: string;
  readonly sandbox: "read-only" | "workspace-write" | "danger-full-access";
}

const MODES: readonly Mode[] = [
  {
    id: "auto",
    name: "Auto",
    description: "Works in its folder by itself, asks for what is beyond",
    approvalPolicy: "on-request",
    sandbox: "workspace-write",
  },
  {
    id: "read-only",
    name: "Read only",
    description: "Reads by itself, asks before it changes anything",
    approvalPolicy: "on-request",
    sandbox: "read-only",
  },
  {
    id: "ask",
    name: "Ask",
    description: "Asks before each command that is not known to be harmless",
    approvalPolicy: "untrusted",
    sandbox: "workspace-write",
  },
  {
    id: "full-access",
    name: "Full access",
    description: "Asks nothing, without a sandbox",
    approvalPolicy: "never",
    sandbox: "danger-full-access",
  },
];

export const DEFAULT_MODE = "auto";

export const hasMode = (id: unknown): id is string => MODES.some((mode) => mode.id === id);

export const modesState = (currentModeId: string): Fields => ({
  currentModeId,
  availableModes: MODES.map(({ id, name, description }) => ({ id, name, description })),
});

const modeOf = (id: string): Mode | undefined => MODES.find((mode) => mode.id === id);

/** For the start of a thread. */
export function threadPolicy(id: string): Fields {
  const { approvalPolicy, sandbox } = modeOf(id) ?? {};
  return { approvalPolicy, sandbox };
}

/** For a turn, where the sandbox is written in another way. `roots`: folders beside the thread's own. */
export function turnPolicy(id: string, roots: readonly string[]): Fields {
  const { approvalPolicy, sandbox } = modeOf(id) ?? {};
  return { approvalPolicy, sandboxPolicy: sandboxPolicy(sandbox, roots) };
}

function sandboxPolicy(sandbox: Mode["sandbox"] | undefined, roots: readonly string[]): Fields {
  if (sandbox === "danger-full-access") return { type: "dangerFullAccess" };
  if (sandbox === "read-only") return { type: "readOnly", networkAccess: false };
  return {
    type: "workspaceWrite",
    writableRoots: roots,
    networkAccess: false,
    excludeTmpdirEnvVar: false,
    excludeSlashTmp: false,
  };
}
