import { type Fields, isFields } from "../../../src/acp/checks.ts";

/** What a program said, by the kind of line: the names of the fields that each line of that kind had. */
export type Kinds = ReadonlyMap<string, ReadonlySet<string>>;

export function kindsOf(lines: Iterable<Fields>): Kinds {
  const kinds = new Map<string, Set<string>>();
  for (const line of lines) {
    for (const [kind, fields] of kindsIn(line)) {
      const names = new Set(Object.keys(fields));
      const before = kinds.get(kind);
      kinds.set(kind, before ? new Set([...before].filter((name) => names.has(name))) : names);
    }
  }
  return kinds;
}

/** The line itself, and what it carries that has kinds of its own. */
function kindsIn(line: Fields): [string, Fields][] {
  const { type, subtype, method, event, message, params, assistantMessageEvent } = line;
  const name = [type ?? method ?? "answer", subtype].filter(Boolean).join("/");
  const parts: [string, Fields][] = [[String(name), line]];
  if (isFields(event)) parts.push([`event ${String(event.type)}`, event]);
  if (isFields(assistantMessageEvent))
    parts.push([`part ${String(assistantMessageEvent.type)}`, assistantMessageEvent]);
  if (isFields(params) && isFields(params.item))
    parts.push([`item ${String(params.item.type)}`, params.item]);
  if (type === "assistant" && isFields(message) && Array.isArray(message.content)) {
    for (const block of message.content.filter(isFields)) parts.push([`block ${String(block.type)}`, block]);
  }
  return parts;
}

/** Where a program says something else than it was recorded to say. */
export function drift(live: Kinds, recorded: Kinds): string[] {
  return [...live].flatMap(([kind, fields]) => {
    const known = recorded.get(kind);
    if (!known) return [`${kind}: was never recorded`];
    const gone = [...known].filter((name) => !fields.has(name));
    return gone.length === 0 ? [] : [`${kind}: has no ${gone.join(", ")} any more`];
  });
}
