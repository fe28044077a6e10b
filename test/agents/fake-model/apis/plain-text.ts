/** The text in a message's content, however an API nests it: a string, a list of parts, a part with text, content or output. */
export function plainText(content: unknown): string {
  if (typeof content === "string") return content;
  if (Array.isArray(content))
    return content
      .map(plainText)
      .filter((text) => text !== "")
      .join("\n");
  if (typeof content !== "object" || content === null) return "";
  for (const key of ["text", "content", "output", "error"]) {
    if (key in content) return plainText(Reflect.get(content, key));
  }
  return JSON.stringify(content);
}
