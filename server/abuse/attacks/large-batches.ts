import type { Attack } from '../attack.js';
import { largeContent } from '../texts.js';

const BATCH = 50;

export const largeBatches: Attack = {
  name: 'large-batches',
  about: 'batches of 50 contents of the maximum length, 5 MB each, two at a time',
  async run(attacker) {
    await attacker.repeat(2, (n) => {
      const items = Array.from({ length: BATCH }, (_, at) => ({ content: largeContent(n * BATCH + at) }));
      return attacker.send('POST', '/api/memories/batch', { body: { items } });
    });
    attacker.tally.reached(attacker.tally.taken, 2, 'batches that were accepted');
  },
};
