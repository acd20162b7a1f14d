import type { Attack } from '../attack.js';
import { person } from '../people.js';

const TOKENS = 30;
const SHORT = 8;
const LOOPS = 16;

export const manyTokens: Attack = {
  name: 'many-tokens',
  about: 'a session of a person who may only read makes 30 tokens a minute, each with limits of its own',
  async run(attacker) {
    const { cookie, csrfToken } = await person(attacker, 'readonly');
    const headers = { cookie, 'x-csrf-token': csrfToken };
    const tokens: string[] = [];
    for (let n = 0; n < (attacker.isShort ? SHORT : TOKENS) && !attacker.signal.aborted; n += 1) {
      const body = { name: `number ${n}`, abilities: ['memory:search'] };
      const answer = await attacker.send('POST', '/api/organization/tokens', { body, token: null, headers });
      if (typeof answer?.body.token === 'string') tokens.push(answer.body.token);
    }
    if (tokens.length === 0) return attacker.tally.note('no token was made in time');
    attacker.ready();
    const read = { body: { query: 'what there is', limit: 50 } };
    const before = attacker.tally.statuses.get(200) ?? 0;
    const startedAt = performance.now();
    await attacker.repeat(LOOPS, (n) =>
      attacker.send('POST', '/api/memories/search', { ...read, token: tokens[n % tokens.length] ?? null }),
    );
    const seconds = (performance.now() - startedAt) / 1_000;
    const reads = (attacker.tally.statuses.get(200) ?? 0) - before;
    attacker.tally.note(`${tokens.length} tokens made by one person read ${reads} times in ${seconds.toFixed(1)} s`);
  },
};
