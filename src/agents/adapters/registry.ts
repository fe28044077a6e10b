import type { Adapter } from "./adapter.ts";
import { claudeCode } from "./claude-code/claude-code.ts";
import { codex } from "./codex/codex.ts";
import type { AdapterName } from "./names.ts";
import { oneShot } from "./one-shot/one-shot.ts";
import { pi } from "./pi/pi.ts";

export const adapters: Readonly<Record<AdapterName, Adapter<unknown>>> = {
  "claude-code": claudeCode,
  codex,
  pi,
  "one-shot": oneShot,
};
