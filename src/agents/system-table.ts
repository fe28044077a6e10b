import { existsSync } from "node:fs";
import { ProcFolder } from "./proc-folder.ts";
import type { ProcessTable } from "./process-table.ts";
import { PsListing } from "./ps-listing.ts";
import { SharedLook } from "./shared-look.ts";

/** The process table of the system that we run on. */
export const systemTable = (): ProcessTable =>
  new SharedLook(existsSync("/proc/self/stat") ? new ProcFolder() : new PsListing());
