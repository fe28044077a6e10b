/** What a roster may write for `adapter` and `preset`. In a file of its own: a roster is read without any of them. */
export const ADAPTER_NAMES = ["claude-code", "codex", "pi", "one-shot"] as const;
export type AdapterName = (typeof ADAPTER_NAMES)[number];

export const PRESET_NAMES = ["codex-exec", "claude-print"] as const;
export type PresetName = (typeof PRESET_NAMES)[number];
