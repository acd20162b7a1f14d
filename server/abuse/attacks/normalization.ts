import type { Attack } from '../attack.js';
import { repeated } from '../texts.js';

const MARKS = repeated(`${'\u0300\u0316'.repeat(15)}\uff9e`);
const LIGATURES = repeated('\ufdfa');
const BATCH = 8;
/** Alternates batches and single contents. */
const BODIES = [MARKS, LIGATURES].flatMap((content, n) => [
  (serial: number) => ({ path: '/api/memories', body: { content: `${serial} ${content}`.slice(0, 100_000) } }),
  (serial: number) => ({ path: '/api/memories/batch', body: batchOf(content, serial * 2 + n) }),
]);

export const normalization: Attack = {
  name: 'normalization',
  about: 'contents of marks that only NFKD reorders, and of U+FDFA, which expands 18 times, alone and in batches of 8',
  async run(attacker) {
    await attacker.repeat(2, (n) => {
      const { path, body } = BODIES[n % BODIES.length]?.(n) ?? { path: '/', body: {} };
      return attacker.send('POST', path, { body });
    });
    attacker.tally.reached(attacker.tally.taken, 2, 'requests that were accepted');
  },
};

function batchOf(content: string, serial: number): object {
  const items = Array.from({ length: BATCH }, (_, at) => ({ content: `${serial}.${at} ${content}`.slice(0, 100_000) }));
  return { items, continueOnError: true };
}
