import { existsSync } from "node:fs";
import { ProcFolder } from "./proc-folder.ts";
import { PsListing } from "./ps-listing.ts";
import { SharedTable } from "./shared-table.ts";

/** The process table of the system that we run on. */
export const systemTable = (): SharedTable =>
  new SharedTable(existsSync("/proc/self/stat") ? new ProcFolder() : new PsListing());
