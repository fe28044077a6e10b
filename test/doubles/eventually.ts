import { expect } from "vitest";

/** Expects something to become true of what cannot tell when: looked at often, for longer than any machine takes. */
export const eventually = <T>(actual: () => T) => expect.poll(actual, { timeout: 15_000, interval: 5 });
