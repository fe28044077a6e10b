import { anyShape, leaf, Refusal } from "./leaf.ts";

/** Any text, also none. `what` tells those who write nothing. A NUL cannot be handed to a process. */
export function readText(value: unknown, what = "text"): string | Refusal {
  if (typeof value === "number" || typeof value === "boolean") {
    return new Refusal("is not text", "put it in quotes");
  }
  if (typeof value !== "string") return new Refusal("is not text", `write ${what}`);
  return value.includes("\0") ? new Refusal("has a NUL character in it", "take that out") : value;
}

function readWords(value: unknown, what?: string): string | Refusal {
  const text = readText(value, what);
  return typeof text === "string" && text.trim() === ""
    ? new Refusal("says nothing", "write some text")
    : text;
}

/** `~` is a shell's; a folder of that name is not what anybody wants. */
function readPlace(value: unknown, what: string): string | Refusal {
  const text = readWords(value, what);
  if (typeof text === "string" && /^~($|\/)/.test(text)) {
    return new Refusal("begins with ~, which only a shell understands", `write \${HOME} instead`);
  }
  return text;
}

export const text = () => leaf((value) => readText(value), { type: "string" });

/** Text that says something. */
export const words = () => leaf((value) => readWords(value), { type: "string", minLength: 1 });

/** A path. */
export const place = () => leaf((value) => readPlace(value, "a path"), { type: "string", minLength: 1 });

/** A path from the root, on whatever machine. */
export const rootedPlace = () =>
  leaf(
    (value) => {
      const path = readPlace(value, "a path");
      if (path instanceof Refusal || path.startsWith("/")) return path;
      return new Refusal("does not begin at the root", "write an absolute path, such as /work");
    },
    anyShape({ type: "string", pattern: "^/" }),
  );

/** A path, or a name to be looked for in PATH. */
export const program = () =>
  leaf((value) => readPlace(value, "the program to run"), { type: "string", minLength: 1 });
