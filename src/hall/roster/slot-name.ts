/** A slot's name is typed in commands, shown in menus and written in logs. */
export const SLOT_NAME = /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,63}$/u;

/** How many turns at once the name itself asks for: `3claude` three; undefined when it begins with no number. */
export function leadingNumber(name: string): number | undefined {
  const digits = /^\d+/.exec(name)?.[0];
  return digits === undefined ? undefined : Number(digits);
}

/** Why a slot cannot have this name. */
export function nameFault(name: string): { what: string; todo: string } | undefined {
  if (!SLOT_NAME.test(name)) {
    return {
      what: "this cannot be the name of a slot",
      todo: "take up to 64 letters, digits, dots, dashes and underscores, a letter or digit first",
    };
  }
  if (leadingNumber(name) !== 0) return undefined;
  return { what: "a slot whose name begins with 0 could run nothing", todo: "take another name" };
}
