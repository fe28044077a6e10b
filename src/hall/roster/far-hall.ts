import { ADDRESS_FORMS, type AddressFault, readHallAddress } from "../../bridge/hall-address.ts";
import { leaf, Refusal, textShape } from "./leaf.ts";

const REFUSALS: Readonly<Record<AddressFault, Refusal>> = {
  "no address": new Refusal("is not the address of a hall", ADDRESS_FORMS),
  "more than an address": new Refusal(
    "the address holds more than host, port and path",
    "a token goes into token_file or token",
    // What stands there may be one.
    "key",
  ),
  "no socket": new Refusal("names no socket", ADDRESS_FORMS),
  "too long": new Refusal("is too long for a UNIX socket", "make a short link to its folder"),
};

/** The address of another hall, as text: what a relative socket starts from is not known here. */
export const hallAddress = () =>
  leaf((value): string | Refusal => {
    const text = typeof value === "string" ? value : "";
    const address = readHallAddress(text, "/");
    return typeof address === "string" ? REFUSALS[address] : text;
  }, textShape("(unix:|tcp://|tls://|wss?://).+"));
