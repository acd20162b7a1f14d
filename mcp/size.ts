import type { JsonSchema } from './json-schema.js';

/** Default maximum of characters in a result, about 5,000 tokens. */
export const DEFAULT_MAX_CHARS = 20_000;

/** The schema of the argument that limits a result, for tools that read. */
export const MAX_CHARS = {
  type: 'integer',
  minimum: 2_000,
  maximum: 100_000,
  default: DEFAULT_MAX_CHARS,
  description: 'Maximum result length. Cuts contents.',
} as const satisfies JsonSchema;
