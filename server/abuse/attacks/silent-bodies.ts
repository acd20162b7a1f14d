import { BOUNDS } from '../../domain/fairness/bounds.js';
import type { Attack } from '../attack.js';
import { head, isUnanswered } from '../attacker.js';

const SOCKETS = 256;
const AGAIN_MS = 500;

export const silentBodies: Attack = {
  name: 'silent-bodies',
  about: '256 requests to sign in that send one byte of their bodies, and start again as soon as they are answered',
  async run(attacker) {
    const request = head('POST /api/session', { 'content-type': 'application/json', 'content-length': 100 }, '{');
    const sockets = Array.from({ length: SOCKETS }, () => attacker.socket(request));
    let most = 0;
    while (!attacker.signal.aborted) {
      await attacker.pause(AGAIN_MS);
      most = Math.max(most, sockets.filter(isUnanswered).length);
      for (const [n, socket] of sockets.entries()) {
        if (isUnanswered(socket)) continue;
        socket.destroy();
        sockets[n] = attacker.socket(request);
      }
    }
    attacker.tally.reached(most, BOUNDS.bodies.shares.address, 'bodies that were silent at the same time');
  },
};
