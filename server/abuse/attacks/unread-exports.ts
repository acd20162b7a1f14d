import type { Attack } from '../attack.js';
import { head } from '../attacker.js';
import { storeLarge } from './large-memories.js';

const PIPELINED = 4;
const PAUSE_MS = 200;
const LEAST = 4;

export const unreadExports: Attack = {
  name: 'unread-exports',
  about: 'exports of large memories, requested five times a second and never read',
  prepare: ([client], isShort) => storeLarge(client, isShort),
  async run(attacker) {
    const request = head('GET /api/memories/export?limit=500', { authorization: `Bearer ${attacker.token}` });
    while (!attacker.signal.aborted) {
      attacker.unread(request.repeat(PIPELINED));
      await attacker.pause(PAUSE_MS);
    }
    attacker.tally.reached(attacker.begun, LEAST, 'connections with unread exports');
  },
};
