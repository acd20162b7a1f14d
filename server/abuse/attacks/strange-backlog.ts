import { hostileTexts } from '../../testing/fixtures/hostile-texts.js';
import type { Attack } from '../attack.js';
import { MAX_CHARACTERS } from '../texts.js';

const LOOPS = 4;
const TEXTS = 60;
const SHORT = 12;

export const strangeBacklog: Attack = {
  name: 'strange-backlog',
  about: 'unusual contents of the maximum length from two organizations, queued for the keyword index',
  tenants: 2,
  async run(attacker) {
    const texts = hostileTexts(attacker.isShort ? SHORT : TEXTS, MAX_CHARACTERS, 5);
    attacker.ready();
    await attacker.repeat(LOOPS, (n) => {
      const token = attacker.tenants[n % attacker.tenants.length]?.token ?? '';
      const content = `${n} ${texts[n % texts.length]}`.slice(0, MAX_CHARACTERS).toWellFormed();
      return attacker.send('POST', '/api/memories', { body: { content }, token });
    });
    attacker.tally.reached(attacker.tally.answered(201), LOOPS, 'memories');
  },
};
