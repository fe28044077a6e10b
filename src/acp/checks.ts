import path from "node:path";
import { invalidParams } from "./errors.ts";

/**
 * Reading params: only what is routed on is checked, and only what is required can be wrong. A bad optional
 * field counts as absent (the schema's own rule for it); everything unknown is left where it is.
 */
export type Fields = Record<string, unknown>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The params as an object; absent ones are empty. */
export function fieldsOf(params: unknown): Fields {
  if (params === undefined || params === null) return {};
  if (!isFields(params)) throw invalidParams("The params must be an object.");
  return params;
}

/** A result, as far as it is read: one that is no object holds nothing. */
export const resultOf = (result: unknown): Fields => (isFields(result) ? result : {});

export const metaOf = (params: Fields): Fields => (isFields(params._meta) ? params._meta : {});

export function requiredString(params: Fields, name: string): string {
  const value = params[name];
  if (typeof value !== "string")
    throw invalidParams(`"${name}" is required and must be a string.`, { field: name });
  return value;
}

export const optionalString = (params: Fields, name: string): string | undefined =>
  typeof params[name] === "string" ? params[name] : undefined;

export function requiredArray(params: Fields, name: string): unknown[] {
  const value = params[name];
  if (!Array.isArray(value))
    throw invalidParams(`"${name}" is required and must be an array.`, { field: name });
  return value;
}

/** An absolute path, required or with a default. */
export function absolutePath(params: Fields, name: string, otherwise?: string): string {
  const value = params[name] ?? otherwise;
  if (typeof value !== "string")
    throw invalidParams(`"${name}" is required and must be a path.`, { field: name });
  if (!path.isAbsolute(value)) throw invalidParams(`"${name}" must be an absolute path.`, { field: name });
  return value;
}

/** Additional directories of a session: absolute paths; missing or null is none. */
export function additionalDirectories(params: Fields): string[] {
  const value = params.additionalDirectories;
  if (!Array.isArray(value)) return [];
  const relative = value.some((entry) => typeof entry !== "string" || !path.isAbsolute(entry));
  if (relative) throw invalidParams('"additionalDirectories" must hold absolute paths.');
  return value.filter((entry): entry is string => typeof entry === "string");
}

/** MCP servers of a session: missing or null is none. Each has a name, and a command or a URL. */
export function mcpServers(params: Fields): Fields[] {
  const value = params.mcpServers;
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalidParams('"mcpServers" must be an array.');
  return value.map((server: unknown, index) => {
    const place = `mcpServers[${index}]`;
    if (!isFields(server) || typeof server.name !== "string") {
      throw invalidParams(`"${place}" must be an object with a name.`);
    }
    const reachable = typeof server.command === "string" || typeof server.url === "string";
    if (!reachable) throw invalidParams(`"${place}" needs a command or a url.`);
    return server;
  });
}

/** ACP's protocol version: an integer from 0 to 65535, and nothing else. */
export function protocolVersion(params: Fields): number {
  const value = params.protocolVersion;
  if (typeof value !== "number" || !Number.isInteger(value) || value < 0 || value > 65_535) {
    throw invalidParams('"protocolVersion" must be an integer from 0 to 65535.', {
      field: "protocolVersion",
    });
  }
  return value;
}
