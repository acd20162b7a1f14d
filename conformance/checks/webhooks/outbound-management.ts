import { createHmac } from 'node:crypto';
import { expect } from 'vitest';
import type { Endpoint } from '../../world/endpoints.js';
import type { Target } from '../../world/target.js';
import { defineChecks } from '../check.js';
import { expectRefusal } from '../matchers.js';
import { type Delivery, logged, OUTBOUND_WEBHOOKS as WEBHOOKS } from './delivery-log.js';

function redeliver(target: Target, endpoint: Endpoint, delivery: Delivery) {
  return target.send('POST', `${WEBHOOKS}/${endpoint.id}/deliveries/${delivery.id}/redeliver`);
}

function standardSignature(secret: string, id: string, timestamp: string, raw: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${raw}`).digest('base64')}`;
}

/** Changes, the log and redelivery of outbound webhooks (6.2). */
export const outboundManagementChecks = defineChecks('6.2', [
  {
    id: 'outbound-is-changed',
    level: 'should',
    requirement: 'The events of an endpoint can be changed, with effect on later writes.',
    needs: ['outbound-webhooks'],
    async run(target) {
      await target.endpoints.use(async (endpoint) => {
        const changed = await target.send('PATCH', `${WEBHOOKS}/${endpoint.id}`, { events: ['memory.deleted'] });
        const { id } = await target.deleted();
        await endpoint.delivery(id, 'memory.deleted');

        expect(changed.body).toMatchObject({ id: endpoint.id, events: ['memory.deleted'] });
        expect(endpoint.about(id).map(({ body }) => body.event)).toEqual(['memory.deleted']);
      });
    },
  },
  {
    id: 'outbound-removed-404',
    level: 'should',
    requirement: 'A removed endpoint gets 404.',
    needs: ['outbound-webhooks'],
    async run(target) {
      await target.endpoints.use(async ({ id }) => {
        expect((await target.send('DELETE', `${WEBHOOKS}/${id}`)).status).toBe(204);
        expectRefusal(await target.send('GET', `${WEBHOOKS}/${id}`), 404);
      });
    },
  },
  {
    id: 'outbound-disabled-sends-nothing',
    level: 'should',
    requirement: 'Nothing is sent to an endpoint while it is switched off.',
    needs: ['outbound-webhooks'],
    async run(target) {
      await target.endpoints.use(async (endpoint) => {
        const enable = (enabled: boolean) => target.send('PATCH', `${WEBHOOKS}/${endpoint.id}`, { enabled });
        expect((await enable(false)).body).toMatchObject({ enabled: false });
        const missed = await target.stored();
        await enable(true);
        const told = await target.stored();

        await endpoint.delivery(told.id, 'memory.ingested');

        expect(endpoint.about(missed.id)).toEqual([]);
      });
    },
  },
  {
    id: 'outbound-rotation-overlaps',
    level: 'should',
    requirement:
      'After a rotation deliveries are signed with the new secret, and by the standard with the one before too.',
    needs: ['outbound-webhooks'],
    async run(target) {
      await target.endpoints.use(async (endpoint) => {
        const { body } = await target.send('POST', `${WEBHOOKS}/${endpoint.id}/rotate-secret`);
        const secret = String(body.secret);
        const { id } = await target.stored();

        const { headers, raw } = await endpoint.delivery(id, 'memory.ingested');

        expect(secret).not.toBe(endpoint.secret);
        const hex = createHmac('sha256', secret).update(raw).digest('hex');
        expect(headers['x-service-signature']).toBe(`sha256=${hex}`);
        const signed = [String(headers['webhook-id']), String(headers['webhook-timestamp']), raw] as const;
        expect(String(headers['webhook-signature']).split(' ').sort()).toEqual(
          [standardSignature(secret, ...signed), standardSignature(endpoint.secret, ...signed)].sort(),
        );
      });
    },
  },
  {
    id: 'outbound-log',
    level: 'should',
    requirement: 'The log of an endpoint has the number of attempts and the last answer of each delivery.',
    needs: ['outbound-webhooks'],
    async run(target) {
      await target.endpoints.use(async (endpoint) => {
        const { id } = await target.stored();

        const delivery = await logged(target, endpoint, id, ({ status }) => status !== 'pending');

        expect(delivery).toMatchObject({ status: 'delivered', attempts: 1, lastAttempt: { status: 204 } });
      });
    },
  },
  {
    id: 'outbound-is-sent-again',
    level: 'should',
    requirement: 'A finished delivery can be sent again, under the same id and with the same body.',
    needs: ['outbound-webhooks'],
    async run(target) {
      await target.endpoints.use(async (endpoint) => {
        const { id } = await target.stored();
        const delivery = await logged(target, endpoint, id, ({ status }) => status === 'delivered');

        const answer = await redeliver(target, endpoint, delivery);
        const second = await target.eventually(async () => endpoint.about(id)[1], 'the delivery that was sent again');

        expect(answer.status).toBe(202);
        expect(second.headers['x-service-delivery']).toBe(delivery.id);
        expect(second.raw).toBe(endpoint.about(id)[0]?.raw);
      });
    },
  },
  {
    id: 'outbound-pending-409',
    level: 'should',
    requirement: 'A delivery with an attempt to come cannot be sent again on request.',
    needs: ['outbound-webhooks'],
    async run(target) {
      await target.endpoints.use(async (endpoint) => {
        const word = target.word();
        // Stays pending, however long the run waits for a limit.
        endpoint.answer(word, 500, 500, 500);
        const { id } = await target.stored({ metadata: { word } });
        const delivery = await logged(target, endpoint, id, ({ attempts }) => attempts === 1);

        expect(delivery).toMatchObject({ status: 'pending', lastAttempt: { status: 500 } });
        expectRefusal(await redeliver(target, endpoint, delivery), 409, 'delivery_pending');
      });
    },
  },
  {
    id: 'outbound-third-attempt-is-due',
    level: 'should',
    requirement: 'After two failures a delivery is due once more, later than the second attempt was after the first.',
    needs: ['outbound-webhooks'],
    async run(target) {
      await target.endpoints.use(async (endpoint) => {
        const word = target.word();
        endpoint.answer(word, 500, 503);
        const { id } = await target.stored({ metadata: { word } });

        const delivery = await logged(target, endpoint, id, ({ attempts }) => attempts === 2);

        expect(delivery).toMatchObject({ status: 'pending', lastAttempt: { status: 503 } });
        const [first, second] = endpoint.about(id).map(({ at }) => at);
        // Each difference by one clock.
        const dueInMs = Date.parse(delivery.nextAttemptAt ?? '') - Date.parse(delivery.lastAttempt?.at ?? '');
        expect(dueInMs).toBeGreaterThan((second ?? 0) - (first ?? 0));
      });
    },
  },
  {
    id: 'outbound-gone-switches-off',
    level: 'should',
    requirement: 'An endpoint that answers 410 is switched off, and its delivery is not tried again.',
    needs: ['outbound-webhooks'],
    async run(target) {
      await target.endpoints.use(async (endpoint) => {
        const word = target.word();
        endpoint.answer(word, 410);
        const { id } = await target.stored({ metadata: { word } });

        const delivery = await logged(target, endpoint, id, ({ attempts }) => attempts === 1);
        const { body } = await target.send('GET', `${WEBHOOKS}/${endpoint.id}`);

        expect(delivery).toMatchObject({ status: 'failed', lastAttempt: { status: 410 } });
        expect(body).toMatchObject({ enabled: false });
      });
    },
  },
]);
