import { type Fields, isFields } from "../../acp/checks.ts";

/** One way in which an agent says that it can be logged in. */
export interface LoginMethod {
  id: string;
  name: string;
  description?: string;
  how: LoginWay;
}

export type LoginWay =
  /** The agent's own program, in a terminal: these arguments are added to its own. */
  | { kind: "terminal"; args: string[]; env: Record<string, string> }
  /** Another program, in a terminal. */
  | { kind: "program"; command: string; args: string[]; env: Record<string, string> }
  /** The agent does it by itself, when ACP's `authenticate` asks it to: in a browser, mostly. */
  | { kind: "agent" }
  /** It takes a key from its environment, which nobody can type in here. */
  | { kind: "key" };

/** ACP's `authMethods`, and the forms that agents had before ACP knew terminals: in `_meta`. */
export const loginMethods = (authMethods: unknown): LoginMethod[] =>
  Array.isArray(authMethods)
    ? authMethods.filter(isFields).flatMap((method) => readMethod(method) ?? [])
    : [];

function readMethod(method: Fields): LoginMethod | undefined {
  const { id, name, description } = method;
  if (typeof id !== "string") return undefined;
  return {
    id,
    name: typeof name === "string" ? name : id,
    ...(typeof description === "string" && description !== name ? { description } : {}),
    how: wayOf(method),
  };
}

function wayOf(method: Fields): LoginWay {
  const meta = isFields(method._meta) ? method._meta : {};
  const other = meta["terminal-auth"];
  // It says exactly what to run, where the method itself may only say that.
  if (isFields(other) && typeof other.command === "string")
    return { kind: "program", command: other.command, ...startOf(other) };
  if (method.type === "terminal") return { kind: "terminal", ...startOf(method) };
  if (meta.type === "terminal") return { kind: "terminal", ...startOf(meta) };
  if (method.type === "env_var" || isFields(meta["api-key"]) || isFields(meta.gateway))
    return { kind: "key" };
  return { kind: "agent" };
}

function startOf({ args, env }: Fields): { args: string[]; env: Record<string, string> } {
  const variables = Object.entries(isFields(env) ? env : {}).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value]] : [],
  );
  return {
    args: Array.isArray(args) ? args.filter((word) => typeof word === "string") : [],
    env: Object.fromEntries(variables),
  };
}

/** Whether something can be done about it here. */
export const isPossible = ({ how }: LoginMethod): boolean => how.kind !== "key";
