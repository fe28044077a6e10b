import { builtFile } from "../ground/package-root.ts";

/** The demo agent's program. */
export const demoProgram = (): string => builtFile("agents", "demo", "main.js");
