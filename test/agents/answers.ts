import type { PermissionOptionKind } from "@agentclientprotocol/sdk";
import type { AcpClient, Question } from "../doubles/acp-client.ts";
import { acpSchema } from "../doubles/acp-schema.ts";

/** Answers a question with the option of that kind, whatever the agent calls it. Throws when it offers none. */
export function answer(question: Question, kind: PermissionOptionKind): void {
  question.select(optionId(question.params, kind));
}

/** Allows whatever this client is asked from now on. */
export function allowEverything(client: AcpClient): void {
  client.answerWith(({ method, params }) =>
    acpSchema().isParams("session/request_permission", params)
      ? { outcome: { outcome: "selected", optionId: optionId(params, "allow_once") } }
      : { error: { code: -32601, message: `A client of these tests has no "${method}".` } },
  );
}

function optionId({ options }: Question["params"], kind: PermissionOptionKind): string {
  const option = options.find((offered) => offered.kind === kind);
  if (option) return option.optionId;
  throw new Error(`The agent offers no ${kind}, only ${options.map((offered) => offered.kind).join(", ")}.`);
}
