/**
 * Lends `value` to `read`, and answers the places in it that `read` never asked for, as `/spec/replicas`: what a
 * validator did not look at is nothing that its schema knows.
 */
export function unreadPlaces<Value extends object>(value: Value, read: (lent: Value) => void): string[] {
  const seen = new Set<string>();
  read(watched(value, "", seen));
  return placesIn(value).filter((place) => !seen.has(place));
}

function watched<Value extends object>(value: Value, place: string, seen: Set<string>): Value {
  return new Proxy(value, {
    get: (target, key, receiver) => {
      const part: unknown = Reflect.get(target, key, receiver);
      if (typeof key === "symbol" || !Object.hasOwn(target, key)) return part;
      const inner = `${place}/${key}`;
      seen.add(inner);
      return typeof part === "object" && part !== null ? watched(part, inner, seen) : part;
    },
  });
}

function placesIn(value: unknown, place = ""): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => [
    `${place}/${key}`,
    ...placesIn(part, `${place}/${key}`),
  ]);
}
