import type { Attack } from '../attack.js';
import type { Attacker } from '../attacker.js';
import { person } from '../people.js';

const TOKENS = 30;
const SHORT = 8;
const LOOPS = 16;
/** More reads than the limit of one credential allows, in the long form. */
const READS = 130;
const SHORT_READS = 30;
/** Twice the reads that a person may make in a minute, because a new minute may begin meanwhile. */
const MAX_READS = 2 * 240;

export const manyTokens: Attack = {
  name: 'many-tokens',
  about: 'a session of a person who may only read makes 30 tokens a minute, each with its own limits',
  async run(attacker) {
    const tokens = await attacker.getReady(() => makeTokens(attacker));
    const read = { body: { query: 'what there is', limit: 50 } };
    const before = attacker.tally.statuses.get(200) ?? 0;
    const startedAt = performance.now();
    await attacker.repeat(LOOPS, (n) =>
      attacker.send('POST', '/api/memories/search', { ...read, token: tokens[n % tokens.length] ?? null }),
    );
    const seconds = (performance.now() - startedAt) / 1_000;
    const reads = (attacker.tally.statuses.get(200) ?? 0) - before;
    attacker.tally.reached(reads, attacker.isShort ? SHORT_READS : READS, 'reads');
    if (reads > MAX_READS) attacker.tally.fault(`one person read ${reads} times with ${tokens.length} tokens`);
    attacker.tally.note(`${tokens.length} tokens made by one person read ${reads} times in ${seconds.toFixed(1)} s`);
  },
};

async function makeTokens(attacker: Attacker): Promise<string[]> {
  const { cookie, csrfToken } = await person(attacker, 'readonly');
  const headers = { cookie, 'x-csrf-token': csrfToken };
  const tokens: string[] = [];
  for (let n = 0; n < (attacker.isShort ? SHORT : TOKENS); n += 1) {
    const body = { name: `number ${n}`, abilities: ['memory:search'] };
    const made = await attacker.must('POST', '/api/organization/tokens', { body, token: null, headers });
    tokens.push(String(made.body.token));
  }
  return tokens;
}
