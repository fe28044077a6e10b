import { Stage } from "../../src/demo/stage.ts";

/** A stage whose output is kept. `columns`: a terminal of that width; without, a pipe. */
export function paper(columns?: number, environment: NodeJS.ProcessEnv = { NO_COLOR: "1" }) {
  const written: string[] = [];
  const terminal = columns === undefined ? {} : { isTTY: true, columns };
  const stage = new Stage({ ...terminal, write: (text) => written.push(text) }, environment);
  return { stage, text: () => written.join("") };
}
