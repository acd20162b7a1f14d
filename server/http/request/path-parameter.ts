import { holdsNull } from './null-character.js';

/**
 * The parameters of a path, those that hold U+0000 percent-encoded: such a text is no id, and is answered like any other
 * unknown one.
 */
export function withoutNull(parameters: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [name, holdsNull(value) ? encodeURIComponent(value) : value]),
  );
}
