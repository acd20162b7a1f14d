/** Default maximum of characters in a result, about 5,000 tokens. */
export const DEFAULT_MAX_CHARS = 20_000;

/** Bounds of `maxChars`, which limits the result of a tool that reads. */
export const MAX_CHARS = { minimum: 2_000, maximum: 100_000 } as const;

/** Default and bounds of `maxTokens`, which limits the text of `memory_context`. */
export const DEFAULT_CONTEXT_TOKENS = 1_000;
export const MIN_CONTEXT_TOKENS = 100;
export const MAX_CONTEXT_TOKENS = 10_000;

/** Length of the profile of a subject. */
export const PROFILE_TOKENS = 2_000;
