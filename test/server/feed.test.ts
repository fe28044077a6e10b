import { expect, it } from "vitest";
import { Feed } from "../../src/server/feed.ts";

/** A client that reads when it is told to. */
class Reader {
  closed = false;
  blocked = false;
  readonly got: string[] = [];
  #rings: (() => void)[] = [];

  notify(method: string, params: unknown): void {
    this.got.push(`${method} ${JSON.stringify(params)}`);
  }

  onDrain(ring: () => void): void {
    this.#rings.push(ring);
  }

  drains(): void {
    for (const ring of this.#rings.splice(0)) ring();
  }

  get waiting(): number {
    return this.#rings.length;
  }
}

const feedTo = (reader: Reader): Feed =>
  new Feed(reader, (missed) => ({ method: "missed", params: { count: missed } }));

it("what a reader does not take is counted, and told in its place once it reads again", () => {
  const reader = new Reader();
  const feed = feedTo(reader);
  feed.send("one", {});
  reader.blocked = true;
  for (let sent = 0; sent < 1_000; sent++) feed.send("lost", {});
  expect([reader.got, reader.waiting]).toEqual([["one {}"], 1]);
  reader.drains();
  expect(reader.got).toEqual(["one {}"]);
  reader.blocked = false;
  reader.drains();
  feed.send("two", {});
  expect(reader.got).toEqual(["one {}", 'missed {"count":1000}', "two {}"]);
});

it("nothing overtakes the word on what is missing", () => {
  const reader = new Reader();
  const feed = feedTo(reader);
  reader.blocked = true;
  feed.send("lost", {});
  reader.blocked = false;
  feed.send("lost, too", {});
  reader.drains();
  expect(reader.got).toEqual(['missed {"count":2}']);
});

it("a reader that is gone, or wants no more, is told nothing", () => {
  for (const leave of [
    (reader: Reader) => {
      reader.closed = true;
    },
    (_reader: Reader, feed: Feed) => feed.end(),
  ]) {
    const reader = new Reader();
    const feed = feedTo(reader);
    reader.blocked = true;
    feed.send("lost", {});
    reader.blocked = false;
    leave(reader, feed);
    reader.drains();
    expect(reader.got).toEqual([]);
  }
});
