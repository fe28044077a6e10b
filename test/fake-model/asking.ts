import { afterAll, beforeAll } from "vitest";
import { FakeModel } from "../agents/fake-model/fake-model.ts";

/** What stands in JSON at a path of names and indices, `choices.0.delta`; undefined when nothing does. */
export const at = (json: unknown, path: string): unknown =>
  path.split(".").reduce<unknown>((value, name) => Object(value)[name], json);

/** The text at a path; empty when there is none. */
export const textAt = (json: unknown, path: string): string => {
  const value = at(json, path);
  return typeof value === "string" ? value : "";
};

/** The list at a path; empty when there is none. */
export const listAt = (json: unknown, path: string): unknown[] => {
  const value = at(json, path);
  return Array.isArray(value) ? value : [];
};

/** One text of many events. */
export const joined = (events: readonly unknown[], path: string): string =>
  events.map((event) => textAt(event, path)).join("");

/** A fake model for the tests of one file. */
export function aFakeModel() {
  let model: FakeModel | undefined;
  beforeAll(async () => {
    model = await FakeModel.start();
  });
  afterAll(async () => {
    await model?.stop();
  });
  const running = (): FakeModel => {
    if (!model) throw new Error("The fake model is not running yet.");
    return model;
  };
  const post = (path: string, body: object, signal: AbortSignal | null = null): Promise<Response> =>
    fetch(running().address + path, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer top-secret" },
      body: JSON.stringify(body),
      signal,
    });
  return {
    post,
    get: (path: string) => fetch(running().address + path),
    async document(path: string, body: object): Promise<unknown> {
      return (await post(path, body)).json();
    },
    /** The events of a streamed answer, in order, the final `[DONE]` as it stands. */
    async events(path: string, body: object): Promise<unknown[]> {
      const response = await post(path, body);
      const text = await response.text();
      return [...text.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) =>
        data === "[DONE]" ? data : JSON.parse(data),
      );
    },
    get exchanges() {
      return running().exchanges;
    },
    until: (wanted: Parameters<FakeModel["until"]>[0]) => running().until(wanted),
  };
}

/** The schema of a shell tool, as agents offer it: the command, and a description that it requires. */
export const SHELL_SCHEMA = {
  type: "object",
  properties: {
    command: { type: "string" },
    description: { type: "string" },
    timeout: { type: "number" },
  },
  required: ["command", "description"],
};
