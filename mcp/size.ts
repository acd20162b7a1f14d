import type { JsonSchema } from './json-schema.js';

/** Characters of a result unless its caller asks for another number: some 5,000 tokens. */
export const DEFAULT_MAX_CHARS = 20_000;

/** How long the result of a tool may be, as an argument of the tools that read. */
export const MAX_CHARS = {
  type: 'integer',
  minimum: 2_000,
  maximum: 100_000,
  default: DEFAULT_MAX_CHARS,
  description: 'How long the result may be; texts are cut to fit.',
} as const satisfies JsonSchema;
