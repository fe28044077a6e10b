import { styleText } from "node:util";

type Format = Exclude<Parameters<typeof styleText>[0], readonly unknown[]>;
export type Brush = (text: string) => string;

export interface Paint {
  bold: Brush;
  dim: Brush;
  red: Brush;
  green: Brush;
  yellow: Brush;
  cyan: Brush;
}

/** Colours for what goes to this stream: on a terminal, unless NO_COLOR is set (no-color.org) or it knows none. */
export function paint(stream: { isTTY?: boolean }, env = process.env): Paint {
  const isColoured = stream.isTTY === true && !env.NO_COLOR && env.TERM !== "dumb";
  const brush =
    (format: Format): Brush =>
    (text) =>
      isColoured && text !== "" ? styleText(format, text, { validateStream: false }) : text;
  return {
    bold: brush("bold"),
    dim: brush("dim"),
    red: brush("red"),
    green: brush("green"),
    yellow: brush("yellow"),
    cyan: brush("cyan"),
  };
}
