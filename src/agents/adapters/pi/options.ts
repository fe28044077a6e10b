import type { Id } from "../../../wire/message.ts";
import { wrongParams } from "../failure.ts";
import type { Step } from "../step.ts";
import { configOptions } from "../updates.ts";
import { send } from "./commands.ts";
import type { PiSession } from "./session.ts";

export function setOption(state: PiSession, id: Id, option: string, value: unknown): Step[] {
  const { models } = state;
  const done = (error: string | undefined, take: () => void): Step[] => {
    if (error !== undefined) return [{ fail: id, error: wrongParams(error) }];
    take();
    return [configOptions(models.options), { reply: id, result: { configOptions: models.options } }];
  };
  if (option === "thinking" && models.hasLevel(value)) {
    const set = { type: "set_thinking_level", level: value };
    return [
      send(state, set, (_, error) =>
        done(error, () => {
          models.level = value;
        }),
      ),
    ];
  }
  const model = option === "model" ? models.find(value) : undefined;
  if (!model) {
    const what = `There is no option ${JSON.stringify(option)} with the value ${JSON.stringify(value)}.`;
    return [{ fail: id, error: wrongParams(what, { configOptions: models.options }) }];
  }
  const set = { type: "set_model", provider: model.provider, modelId: model.id };
  return [send(state, set, (_, error) => done(error, () => models.choose(model)))];
}
