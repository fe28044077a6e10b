import { builtFile } from "../ground/package-root.ts";

/** This package's program, as another process starts it. */
export const hallProgram = (): string => builtFile("cli", "main.js");
