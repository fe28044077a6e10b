import { type Fields, metaOf } from "./checks.ts";

/** W3C Trace Context, version 00 and those that begin as it does. */
const TRACE_PARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(?:-.{0,200})?$/;

/** The trace that a message is part of (ACP: `traceparent` in `_meta`); undefined: none, or what is no such thing. */
export function traceParent(params: Fields): string | undefined {
  const { traceparent } = metaOf(params);
  return typeof traceparent === "string" && TRACE_PARENT.test(traceparent) ? traceparent : undefined;
}
