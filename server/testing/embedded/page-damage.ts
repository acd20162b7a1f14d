import { closeSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import type { SeededChoices } from '../fixtures/seeded-choices.js';

export const PAGE_BYTES = 4_096;

/** Kinds of damage to a page. */
const DAMAGE: Readonly<Record<string, (page: Buffer, choices: SeededChoices) => void>> = {
  'random bytes': (page, choices) => {
    for (let at = 0; at < page.length; at += 1) page[at] = choices.below(256);
  },
  zeros: (page) => page.fill(0),
  ones: (page) => page.fill(0xff),
  'half of it from elsewhere': (page, choices) => page.copy(page, 0, PAGE_BYTES / 2 + choices.below(64)),
};

/**
 * Overwrites a share of the pages of a closed database, except the first.
 *
 * @returns the number of damaged pages
 */
export function damagePages(path: string, share: number, choices: SeededChoices): number {
  const pages = Math.floor(statSync(path).size / PAGE_BYTES);
  const count = Math.max(1, Math.round(pages * share));
  const file = openSync(path, 'r+');
  for (let n = 0; n < count; n += 1) {
    const at = (1 + choices.below(pages - 1)) * PAGE_BYTES;
    const page = Buffer.alloc(PAGE_BYTES);
    readSync(file, page, 0, PAGE_BYTES, at);
    DAMAGE[choices.pick(Object.keys(DAMAGE))]?.(page, choices);
    writeSync(file, page, 0, PAGE_BYTES, at);
  }
  closeSync(file);
  return count;
}
