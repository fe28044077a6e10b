import { randomBytes } from "node:crypto";

/** A new identifier as providers make them: `msg_…`, `call_…`. */
export const identifier = (prefix: string): string => prefix + randomBytes(12).toString("hex");
