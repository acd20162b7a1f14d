import { Flags } from '@oclif/core';

/** Creates the flag for how many to return. The service checks the bounds. */
export function limitFlag(bounds: { readonly minimum: number; readonly maximum: number; readonly default: number }) {
  const { minimum, maximum, default: fallback } = bounds;
  return Flags.integer({
    char: 'n',
    description: `how many to return, ${minimum} to ${maximum}; default: ${fallback}`,
  });
}
