import { Flags } from '@oclif/core';

/** The flag for how many to return, which the service checks. */
export function limitFlag(bounds: { readonly minimum: number; readonly maximum: number; readonly default: number }) {
  const { minimum, maximum, default: fallback } = bounds;
  return Flags.integer({
    char: 'n',
    description: `how many to return, ${minimum} to ${maximum}; ${fallback} unless given`,
  });
}
