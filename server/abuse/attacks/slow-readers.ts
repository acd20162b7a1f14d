import type { Attack } from '../attack.js';
import { type Attacker, head } from '../attacker.js';
import { storeLarge } from './large-memories.js';

const TOKENS = 4;
const READERS = 75;
const TICK_MS = 1_000;
const READ_BYTES = 64;
/** Fewer than 300 exports begin: the shares reject the rest. */
const LEAST = 16;

export const slowReaders: Attack = {
  name: 'slow-readers',
  about: '75 exports with each of four tokens, read at 64 bytes a second',
  prepare: ([client], isShort) => storeLarge(client, isShort),
  async run(attacker) {
    const tokens = [attacker.token, ...(await attacker.getReady(() => moreTokens(attacker)))];
    const sockets = tokens.flatMap((token) => {
      const request = head('GET /api/memories/export?limit=500', { authorization: `Bearer ${token}` });
      return Array.from({ length: READERS }, () => attacker.unread(request));
    });
    while (!attacker.signal.aborted) {
      await attacker.pause(TICK_MS);
      for (const socket of sockets) socket.read(READ_BYTES);
    }
    attacker.tally.reached(attacker.begun, LEAST, 'connections with exports that are read slowly');
  },
};

async function moreTokens(attacker: Attacker): Promise<string[]> {
  const making = Array.from({ length: TOKENS - 1 }, (_, n) =>
    attacker.must('POST', '/api/organization/tokens', { body: { name: `reader ${n}`, abilities: ['*'] } }),
  );
  const made = await Promise.all(making);
  return made.map((answer) => String(answer.body.token));
}
