/** Default maximum of characters in a result, about 5,000 tokens. */
export const DEFAULT_MAX_CHARS = 20_000;

/** Bounds of `maxChars`, which limits the result of a tool that reads. */
export const MAX_CHARS = { minimum: 2_000, maximum: 100_000 } as const;
