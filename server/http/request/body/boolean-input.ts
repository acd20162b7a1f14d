import type { BooleanInput } from '../../contract/wire.js';

/** Reports if a boolean of a request, in any of its spellings, is true. */
export function isTrue(input: BooleanInput): boolean {
  return input === true || input === 'true' || input === '1';
}
