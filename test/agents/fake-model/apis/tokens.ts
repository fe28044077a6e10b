/** What a prompt costs, always: no test counts tokens. */
export const PROMPT_TOKENS = 100;

/** What an answer costs: about four characters a token, never nothing. */
export const tokensOf = (text: string): number => Math.ceil(text.length / 4) + 1;
