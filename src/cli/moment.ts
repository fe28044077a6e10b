/** A time of the hall's, to the second, in the reader's own time; empty when it is none. */
export function moment(iso: unknown): string {
  if (typeof iso !== "string") return "";
  const at = new Date(iso);
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${clockTime(iso)}`;
}

/** As `moment`, without the day. */
export function clockTime(iso: unknown): string {
  if (typeof iso !== "string") return "";
  const at = new Date(iso);
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

const two = (value: number): string => String(value).padStart(2, "0");
