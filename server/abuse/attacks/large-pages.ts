import type { Attack } from '../attack.js';
import { storeLarge } from './large-memories.js';

const LOOPS = 4;
const PAGES = [
  '/api/memories/export?limit=500',
  '/api/memories/changes?since=2026-01-01&limit=500',
  '/api/memories/recent?limit=50',
];

export const largePages: Attack = {
  name: 'large-pages',
  about: 'the largest pages of large memories, four at a time, all of them read',
  prepare: ([client], isShort) => storeLarge(client, isShort),
  async run(attacker) {
    await attacker.repeat(LOOPS, (n) => attacker.send('GET', PAGES[n % PAGES.length] ?? ''));
    attacker.tally.reached(attacker.tally.answered(200), LOOPS, 'pages');
  },
};
