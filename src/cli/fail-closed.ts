/**
 * A hook that ends in any other way than with 0 or 2 is taken for a yes. So whatever ends this process before it has
 * its answer ends it with 2, and the reason on stderr. What is answered does that at once, for whatever else goes wrong.
 */
export function failClosed(): (why: string) => never {
  const refuse = (why: string): never => {
    try {
      process.stderr.write(`hall: ${why}, so this is refused.\n`);
    } finally {
      process.exit(2);
    }
  };
  process.on("uncaughtException", () => refuse("The hook met a defect"));
  process.on("unhandledRejection", () => refuse("The hook met a defect"));
  process.on("beforeExit", () => refuse("The hook was left without an answer"));
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGPIPE"] as const)
    process.on(signal, () => refuse(`The hook was ended by ${signal}`));
  return refuse;
}
