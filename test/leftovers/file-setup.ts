import { relative } from "node:path";
import { expect } from "vitest";
import { markFile } from "./mark.ts";

markFile(relative(process.cwd(), expect.getState().testPath ?? "unknown"));
