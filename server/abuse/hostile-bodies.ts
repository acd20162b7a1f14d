import { hostileTexts } from '../testing/fixtures/hostile-texts.js';
import { hostileShapes } from './attacks/hostile-shapes.js';
import { MAX_CHARACTERS } from './texts.js';

/** An answer after this many milliseconds is late. */
export const SLOW_MS = 100;

/** With all shapes, more than 200 bodies. */
const TEXTS = 165;
const SEED = 9;
const SHOWN = 30;

/** A body that takes long to read if that work is not bounded. */
export interface HostileBody {
  /** Its kind, its number among those of the kind, and how it begins. */
  name: string;
  /** JSON of a memory, or what an attacker sends in its place. */
  body: string;
}

/**
 * Returns difficult contents of up to the maximum length, then difficult JSON.
 *
 * @param texts number of contents
 * @param shapesOneIn leaves out all but one of this many shapes
 */
export function hostileBodies(texts = TEXTS, shapesOneIn = 1): HostileBody[] {
  const shapes = hostileShapes().map((body, n) => ({ name: `shape ${n}, ${shown(body)}`, body }));
  const contents = hostileTexts(texts, MAX_CHARACTERS, SEED).map((content, n) => ({
    name: `text ${n}, ${shown(content)}`,
    body: JSON.stringify({ content }),
  }));
  return [...contents, ...shapes.filter((_, n) => n % shapesOneIn === 0)];
}

function shown(text: string): string {
  return text.slice(0, SHOWN).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
