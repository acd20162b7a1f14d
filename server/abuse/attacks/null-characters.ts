import type { Attack } from '../attack.js';
import type { Attacker } from '../attacker.js';

const NULL = '\u0000';
/** More than a limit of ten a minute allows. */
const ATTEMPTS = 15;

export const nullCharacters: Attack = {
  name: 'null-characters',
  about: 'U+0000 after an id, an address and other strings, which must have no effect',
  async run(attacker) {
    await behindAnId(attacker);
    await behindAnAddress(attacker);
    const strings = [
      { content: `a${NULL}` },
      { content: 'a', metadata: { [`k${NULL}`]: 'v' } },
      { content: 'a', metadata: { k: [`v${NULL}`] } },
      { content: 'a', scope: { source: `s${NULL}` } },
    ];
    for (const body of strings) await expect(attacker, 'POST', '/api/memories', 422, { body });
    await expect(attacker, 'PUT', '/api/memories', 422, { body: { externalKey: `k${NULL}`, content: 'a' } });
    await expect(attacker, 'POST', '/api/memories/search', 422, { body: { query: `a${NULL}` } });
    await expect(attacker, 'GET', '/api/memories/recent?x=%00', 422);
    attacker.tally.reached(attacker.tally.answered(404), 3, 'rejections of U+0000 after an id');
    attacker.tally.reached(attacker.tally.answered(422), strings.length + 3, 'rejections of U+0000 in a string');
  },
};

async function behindAnId(attacker: Attacker): Promise<void> {
  const kept = await attacker.send('POST', '/api/memories', { body: { content: 'kept' } });
  const path = `/api/memories/${String(kept?.body.id)}`;
  for (const method of ['GET', 'DELETE']) await expect(attacker, method, `${path}%00x`, 404);
  await expect(attacker, 'PATCH', `${path}%00x`, 404, { body: { content: 'changed' } });
  await expect(attacker, 'GET', path, 200);
}

/** If text after U+0000 made a different address, each would have its own attempts. */
async function behindAnAddress(attacker: Attacker): Promise<void> {
  for (let n = 0; n < ATTEMPTS; n += 1) {
    const body = { email: `owner@abuse.test${NULL}${n}`, password: 'wrong' };
    await expect(attacker, 'POST', '/api/session', 422, { body, token: null });
  }
}

async function expect(
  attacker: Attacker,
  method: string,
  path: string,
  status: number,
  sending?: Parameters<Attacker['send']>[2],
): Promise<void> {
  const answer = await attacker.send(method, path, sending);
  // A rate limit that was reached proves nothing about U+0000.
  if (!answer || answer.status === status || answer.status === 429) return;
  attacker.tally.fault(`${method} ${path} with U+0000: ${answer.status} instead of ${status}`);
}
