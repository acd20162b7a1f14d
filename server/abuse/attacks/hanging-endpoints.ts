import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Attack } from '../attack.js';

const ENDPOINTS = 20;
const BATCHES = 6;
const BATCH = 50;
const CHECK_MS = 200;

export const hangingEndpoints: Attack = {
  name: 'hanging-endpoints',
  about: '20 endpoints that take connections and never answer, and 6,000 deliveries to them',
  async run(attacker) {
    const sockets = new Set<Socket>();
    const endpoint = createServer((socket) => {
      sockets.add(socket.on('error', () => undefined).resume());
      socket.once('close', () => sockets.delete(socket));
    });
    endpoint.listen(0, '127.0.0.1');
    await once(endpoint, 'listening');
    const url = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}`;
    for (let n = 0; n < ENDPOINTS; n += 1) {
      const body = { url: `${url}/${n}`, events: ['memory.ingested'] };
      await attacker.send('POST', '/api/organization/outbound-webhooks', { body });
    }
    for (let n = 0; n < BATCHES && !attacker.signal.aborted; n += 1) {
      const items = Array.from({ length: BATCH }, (_, at) => ({ content: `fact ${n * BATCH + at} of an endpoint` }));
      await attacker.send('POST', '/api/memories/batch', { body: { items } });
    }
    attacker.ready();
    let most = 0;
    while (!attacker.signal.aborted) {
      await attacker.pause(CHECK_MS);
      most = Math.max(most, sockets.size);
    }
    attacker.tally.note(`at most ${most} deliveries hung at once`);
    for (const socket of sockets) socket.destroy();
    endpoint.close();
  },
};
