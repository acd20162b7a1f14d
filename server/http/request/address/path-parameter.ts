import { holdsNull } from '../body/null-character.js';

/**
 * Returns path parameters with U+0000 percent-encoded. Such a text is never an id, so it gets the same answer as any
 * unknown one.
 */
export function withoutNull(parameters: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [name, holdsNull(value) ? encodeURIComponent(value) : value]),
  );
}
