import { v7 } from 'uuid';
import type { Attack } from '../attack.js';
import { head, isUnanswered } from '../attacker.js';

const SOCKETS = 16;
const TICK_MS = 500;
const OTHER = '127.0.0.2';

export const chunkedWebhooks: Attack = {
  name: 'chunked-webhooks',
  about: '16 chunked webhook bodies that grow by one byte at a time, and a delivery of 3 MB from another address',
  async run(attacker) {
    const path = `/webhooks/codehost/${v7()}`;
    const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
    const open = () => attacker.socket(head(`POST ${path}`, headers, '1\r\n{\r\n'));
    const sockets = Array.from({ length: SOCKETS }, open);
    const body = { large: 'x'.repeat(3_000_000) };
    let most = 0;
    while (!attacker.signal.aborted) {
      await attacker.pause(TICK_MS);
      most = Math.max(most, sockets.filter(isUnanswered).length);
      for (const [n, socket] of sockets.entries()) {
        if (isUnanswered(socket)) {
          socket.write('1\r\n \r\n');
          continue;
        }
        // A rejected connection would stay open for another request.
        socket.destroy();
        sockets[n] = open();
      }
      const delivered = await attacker.send('POST', path, { body, token: null, from: OTHER });
      // 401 for the missing signature proves that the body was read.
      if (delivered && delivered.status !== 401) attacker.tally.fault(`a large body is rejected: ${delivered.text}`);
    }
    attacker.tally.reached(most, SOCKETS, 'bodies that grew at the same time');
    attacker.tally.reached(attacker.tally.answered(401), 1, 'large deliveries that were read');
  },
};
