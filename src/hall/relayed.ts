/** Updates that a slot's agents sent and that were passed on: counted on their way, read when somebody asks. */
export class Relayed {
  updates = 0;
  bytes = 0;

  add(bytes: number): void {
    this.updates += 1;
    this.bytes += bytes;
  }
}
