import { isFields } from "../acp/checks.ts";
import type { ErrorBody } from "../wire/message.ts";

/** What went wrong, as the hall says it to programs. */
export const kindOf = ({ data }: ErrorBody): unknown => (isFields(data) ? data.kind : undefined);
