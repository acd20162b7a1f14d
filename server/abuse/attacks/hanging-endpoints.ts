import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { BOUNDS } from '../../domain/fairness/bounds.js';
import type { Attack } from '../attack.js';
import type { Attacker } from '../attacker.js';

const WEBHOOKS = '/api/organization/outbound-webhooks';
const TENANTS = 4;
const ENDPOINTS = 20;
const BATCHES = 6;
const SHORT = 1;
const BATCH = 50;
const CHECK_MS = 100;
/** The whole share of each tenant. */
const HANGING = TENANTS * BOUNDS.deliveries.shares.tenant;

export const hangingEndpoints: Attack = {
  name: 'hanging-endpoints',
  about:
    '20 endpoints of each of 4 organizations that accept connections and never answer, and 24,000 deliveries to them',
  tenants: TENANTS,
  async run(attacker) {
    const sockets = new Set<Socket>();
    const endpoint = createServer((socket) => {
      sockets.add(socket.on('error', () => undefined).resume());
      socket.once('close', () => sockets.delete(socket));
    });
    endpoint.listen(0, '127.0.0.1');
    await once(endpoint, 'listening');
    const url = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}`;
    let most = 0;
    const count = setInterval(() => {
      most = Math.max(most, sockets.size);
    }, CHECK_MS);
    try {
      await attacker.getReady(() => subscribe(attacker, url));
      while (!attacker.signal.aborted) await attacker.pause(CHECK_MS);
    } finally {
      clearInterval(count);
      for (const socket of sockets) socket.destroy();
      endpoint.close();
    }
    attacker.tally.reached(most, HANGING, 'deliveries that hung at the same time');
    attacker.tally.note(
      `at most ${most} deliveries hung at the same time, of ${HANGING} that ${TENANTS} organizations may have`,
    );
  },
};

/** Registers the endpoints of each organization, and writes memories that cause their deliveries. */
async function subscribe(attacker: Attacker, url: string): Promise<void> {
  for (const { token } of attacker.tenants) {
    await unsubscribe(attacker, token);
    for (let n = 0; n < ENDPOINTS; n += 1) {
      const body = { url: `${url}/${n}`, events: ['memory.ingested'] };
      await attacker.must('POST', WEBHOOKS, { body, token });
    }
    for (let n = 0; n < (attacker.isShort ? SHORT : BATCHES); n += 1) {
      const items = Array.from({ length: BATCH }, (_, at) => ({ content: `fact ${n * BATCH + at} of an endpoint` }));
      await attacker.must('POST', '/api/memories/batch', { body: { items }, token });
    }
  }
}

/** Deletes the endpoints of an attack before on the same server: an organization may have no more. */
async function unsubscribe(attacker: Attacker, token: string): Promise<void> {
  const { text } = await attacker.must('GET', WEBHOOKS, { token });
  const { outboundWebhooks } = JSON.parse(text) as { outboundWebhooks: readonly { id: string }[] };
  for (const { id } of outboundWebhooks) await attacker.must('DELETE', `${WEBHOOKS}/${id}`, { token });
}
