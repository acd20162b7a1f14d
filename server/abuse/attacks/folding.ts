import type { Attack } from '../attack.js';
import { distinctWords } from '../texts.js';

const BATCH = 50;
/** Each word has an ending that folding keeps. Together they are just below the maximum length. */
const WORDS = distinctWords(16_000).map((word) => `${word}k`);

export const folding: Attack = {
  name: 'folding',
  about: 'batches of 50 contents with equal words that fold differently, 5 MB each, and one single ingest after each',
  async run(attacker) {
    await attacker.repeat(1, async (n) => {
      const items = Array.from({ length: BATCH }, (_, at) => ({ content: variant(n * BATCH + at) }));
      await attacker.send('POST', '/api/memories/batch', { body: { items, continueOnError: true } });
      return attacker.send('POST', '/api/memories', { body: { content: variant(1_000_000 + n) } });
    });
    attacker.tally.reached(attacker.tally.taken, 1, 'batches that were accepted');
  },
};

/** Words are compared without the spaces between them, so contents that differ in spaces alone have equal words. */
function variant(n: number): string {
  const words = WORDS.slice();
  for (let bit = 0; 2 ** bit <= n; bit += 1) {
    if (Math.floor(n / 2 ** bit) % 2 === 1) words.splice(bit, 2, `${words[bit]}${words[bit + 1]}`);
  }
  return words.join(' ');
}
