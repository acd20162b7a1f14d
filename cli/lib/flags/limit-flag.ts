import { PAGE_LIMIT } from '@memory-service/sdk/constants';
import * as Flags from '@oclif/core/flags';

/** Creates the flag for how many to return. The service checks the bounds. */
export function limitFlag(bounds: { readonly minimum: number; readonly maximum: number; readonly default: number }) {
  const { minimum, maximum, default: fallback } = bounds;
  return Flags.integer({
    char: 'n',
    description: `how many to return, ${minimum} to ${maximum}; default: ${fallback}`,
  });
}

/** The flag for how many items of a list to return. */
export const pageLimitFlag = Flags.integer({
  char: 'n',
  default: 50,
  description: 'how many to return',
  max: PAGE_LIMIT.maximum,
  min: PAGE_LIMIT.minimum,
});
