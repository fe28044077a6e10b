/** `$${`, which is a plain `${`; or the whole of `${…}`, read further by VARIABLE; or a `${` that never ends. */
const MARKS = /\$\$\{|\$\{([^}]*)(\})?/g;
const VARIABLE = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s;

/** What became of a text with `${…}` in it. */
export interface Expansion {
  /** The text with its variables filled in; a variable that is not set stays as it is written. */
  value: string;
  /** What came out of the environment: to be kept out of logs. Defaults stand in the file for all to see. */
  found: string[];
  /** Names of variables that are not set and have no default. */
  unset: string[];
  /** Whether any variable is in it at all. */
  variable: boolean;
  /** What is wrong with the text, and what to do. */
  fault?: { what: string; todo: string };
}

const UNCLOSED = { what: "has a ${ that is never closed", todo: `write \${NAME}, or $\${ for a plain \${` };
const NESTED = { what: "has a default with another variable in it", todo: "write the default out" };
const MISSPELT = {
  what: `has a \${…} that is no variable`,
  todo: `write \${NAME} or \${NAME:-default}, or $\${ for a plain \${`,
};

/**
 * Fills in `${NAME}` and `${NAME:-default}` (the default also stands in for a variable that is set to nothing, as in
 * a shell). What comes from the environment is not read again for variables.
 */
export function expand(text: string, env: NodeJS.ProcessEnv): Expansion {
  const expansion: Expansion = { value: "", found: [], unset: [], variable: false };
  expansion.value = text.replaceAll(MARKS, (mark, inside: string | undefined, end: string | undefined) => {
    if (inside === undefined) return "${";
    expansion.variable = true;
    const [, name, standIn] = VARIABLE.exec(inside) ?? [];
    if (name === undefined || end === undefined || standIn?.includes("${")) {
      expansion.fault ??= faultOf(inside, end !== undefined);
      return mark;
    }
    // Own ones only: an environment is an object, and objects have a `constructor`.
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    if (value !== undefined && (value !== "" || standIn === undefined)) {
      expansion.found.push(value);
      return value;
    }
    if (standIn === undefined) expansion.unset.push(name);
    return standIn ?? mark;
  });
  return expansion;
}

function faultOf(inside: string, closed: boolean): typeof UNCLOSED {
  if (!closed) return UNCLOSED;
  return inside.includes("${") ? NESTED : MISSPELT;
}
