import path from "node:path";
import {
  ADDRESS_FORMS,
  type AddressFault,
  type HallAddress,
  readHallAddress,
} from "../bridge/hall-address.ts";
import { UsageError } from "./usage.ts";

export { type HallAddress, showAddress } from "../bridge/hall-address.ts";

/** Where `--connect` or $HALL_CONNECT leads. Throws a UsageError. */
export function hallAddress(text: string): HallAddress {
  const address = readHallAddress(text, process.cwd());
  if (typeof address === "string") throw new UsageError(sentence(address, text));
  return address;
}

function sentence(fault: AddressFault, text: string): string {
  const told = JSON.stringify(text);
  switch (fault) {
    case "no address":
      return `${told} is not the address of a hall; ${ADDRESS_FORMS}.`;
    case "no socket":
      return `${told} names no socket; ${ADDRESS_FORMS}.`;
    case "too long":
      return `${path.resolve(text.slice("unix:".length))} is too long for a UNIX socket; make a short link to its folder.`;
    case "more than an address":
      // It is not shown again: what stands there may be a token.
      return "The address holds more than host, port and path; a token goes into $HALL_TOKEN or --token-file.";
  }
}
