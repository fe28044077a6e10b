import { PassingTransport } from "./passing.ts";

/** A transport whose owner can be kept from saying anything more: what is written from then on is dropped. */
export class MuffledTransport extends PassingTransport {
  muffled = false;

  override write(bytes: Buffer): void {
    if (!this.muffled) super.write(bytes);
  }
}
