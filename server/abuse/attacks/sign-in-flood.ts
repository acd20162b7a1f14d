import type { Attack } from '../attack.js';
import type { Attacker } from '../attacker.js';
import { PASSWORD, person } from '../people.js';

const LOOPS = 32;
const HOME = '127.0.0.2';
const FLOODING = '127.0.0.3';
const CHECK_MS = 1_000;

export const signInFlood: Attack = {
  name: 'sign-in-flood',
  about: 'wrong passwords for one person and for many unknown ones, while the person works from another address',
  async run(attacker) {
    const { email, cookie } = await attacker.getReady(() => person(attacker, 'member', HOME));
    const flood = attacker.repeat(LOOPS, (n) => {
      const body = { email: n % 2 === 0 ? email : `unknown-${n}@abuse.test`, password: 'wrong' };
      return attacker.send('POST', '/api/session', { body, token: null, from: FLOODING });
    });
    await Promise.all([flood, live(attacker, email, cookie)]);
    attacker.tally.reached(attacker.tally.answered(401), 1, 'wrong passwords that were hashed');
    attacker.tally.reached(attacker.tally.answered(429, 503), LOOPS, 'rejections of the flood');
  },
};

/** The session stays valid, and the right password starts another one. */
async function live(attacker: Attacker, email: string, cookie: string): Promise<void> {
  let isFirst = true;
  while (!attacker.signal.aborted) {
    await attacker.pause(CHECK_MS);
    const session = await attacker.send('GET', '/api/session', { token: null, headers: { cookie }, from: HOME });
    if (session && session.status !== 200)
      attacker.tally.fault(`a session is rejected: ${session.status} ${session.text}`);
    if (!isFirst) continue;
    isFirst = false;
    const body = { email, password: PASSWORD };
    const again = await attacker.send('POST', '/api/session', { body, token: null, from: HOME });
    if (again && again.status !== 201) {
      attacker.tally.fault(`a right password from another address is rejected: ${again.status} ${again.text}`);
    }
  }
}
