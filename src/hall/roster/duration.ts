import { parseDuration } from "../../ground/duration.ts";
import { anyShape, leaf, Refusal, textShape } from "./leaf.ts";

const FORM = "500ms, 5s, 2m, 1h or a number of seconds";

function readDuration(value: unknown): number | undefined {
  if (typeof value === "string") return parseDuration(value);
  return typeof value === "number" && value >= 0 ? parseDuration(plain(value)) : undefined;
}

/** Numbers beyond these write themselves with an exponent, and are no duration of anything. */
const plain = (seconds: number): string =>
  seconds !== 0 && (seconds < 1e-6 || seconds >= 1e21) ? "" : String(seconds);

const PATTERN = "\\d+(\\.\\d+)?(h|m|s|ms)?";
const durationShape = (pattern: string) => anyShape({ type: "number", minimum: 0 }, textShape(pattern));

/** Milliseconds, more than none. */
export const duration = () =>
  leaf((value) => {
    if (value === "never") return new Refusal("is not possible here", `write ${FORM}`);
    const ms = readDuration(value);
    if (ms === undefined) return new Refusal("is not a duration", `write ${FORM}`);
    return ms > 0 ? ms : new Refusal("is no time at all", `write ${FORM}`);
  }, durationShape(PATTERN));

/** Milliseconds, more than none; undefined for `never`. */
export const durationOrNever = () =>
  leaf(
    (value) => {
      if (value === "never") return undefined;
      const ms = readDuration(value);
      if (ms === undefined) return new Refusal("is not a duration", `write ${FORM}, or never`);
      return ms > 0 ? ms : new Refusal("is no time at all", `write ${FORM}, or never`);
    },
    durationShape(`${PATTERN}|never`),
  );

/** Milliseconds; 0 switches off what it is the pause of. */
export const durationOrNone = () =>
  leaf((value) => {
    if (value === "never") return new Refusal("is not possible here", `write ${FORM}; 0 for never`);
    return readDuration(value) ?? new Refusal("is not a duration", `write ${FORM}; 0 for never`);
  }, durationShape(PATTERN));
