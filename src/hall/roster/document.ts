import { LineCounter, parseDocument } from "yaml";
import { type DocumentFault, Transcription } from "./transcription.ts";
import { emptyScalar, type Place, type Written } from "./written.ts";
import { YAML_ERRORS } from "./yaml-errors.ts";

export interface Document {
  root: Written;
  faults: DocumentFault[];
  /** What could be made of the text is not all that stands there, and not to be checked further. */
  broken: boolean;
}

const START: Place = { line: 1, column: 1 };

/** Reads YAML 1.2 (core schema: `on`, `yes` and `0777` are what they look like). Never throws. */
export function readDocument(text: string): Document {
  const lines = new LineCounter();
  const place = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  try {
    const document = parseDocument(text, {
      version: "1.2",
      schema: "core",
      merge: false,
      uniqueKeys: false,
      prettyErrors: false,
      logLevel: "error",
      lineCounter: lines,
    });
    const faults = [...document.errors, ...document.warnings].map(
      ({ code, pos: [offset] }): DocumentFault => ({
        at: place(offset),
        path: [],
        message: YAML_ERRORS[code],
      }),
    );
    if (document.directives?.yaml.version === "1.1") {
      const message = "the file says that it is YAML 1.1; a roster is YAML 1.2, take that line out";
      faults.push({ at: START, path: [], message });
    }
    if (faults.length > 0) return { root: emptyScalar(START), faults: onePerLine(faults), broken: true };
    const transcription = new Transcription(place);
    const root = document.contents ? transcription.of(document.contents, []) : emptyScalar(START);
    return { root, faults: transcription.faults, broken: transcription.incomplete };
  } catch (error) {
    // The parser recurses: a file of nothing but brackets exhausts the stack.
    if (!(error instanceof RangeError)) throw error;
    return {
      root: emptyScalar(START),
      faults: [{ at: START, path: [], message: YAML_ERRORS.RESOURCE_EXHAUSTION }],
      broken: true,
    };
  }
}

/** What follows on the same line is what the parser made of it after the first error. */
function onePerLine(faults: readonly DocumentFault[]): DocumentFault[] {
  const lines = new Map<number, DocumentFault>();
  for (const fault of faults) if (!lines.has(fault.at.line)) lines.set(fault.at.line, fault);
  return [...lines.values()];
}
