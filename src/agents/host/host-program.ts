import { builtFile } from "../../ground/package-root.ts";

/** The program that runs a module as an agent: `main.ts` says what it takes. */
export const hostProgram = (): string => builtFile("agents", "host", "main.js");
