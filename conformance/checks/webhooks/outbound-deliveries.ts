import { expect } from 'vitest';
import { ANSWER } from '../../world/receiver.js';
import { defineChecks } from '../check.js';
import { logged, OUTBOUND_WEBHOOKS } from './delivery-log.js';

/** Requirements on single deliveries of outbound webhooks (6.2). */
export const outboundDeliveryChecks = defineChecks('6.2', [
  {
    id: 'outbound-delivery-is-read',
    level: 'should',
    requirement:
      'A delivery is read with the body that was sent, its headers without signatures, and what each attempt was answered.',
    needs: ['outbound-webhooks'],
    async run(target) {
      await target.endpoints.use(async (endpoint) => {
        const word = target.word();
        endpoint.answer(word, 500);
        const { id: memoryId } = await target.stored({ metadata: { word } });
        const { id } = await logged(target, endpoint, memoryId, ({ attempts }) => attempts === 1);

        const { body } = await target.send('GET', `${OUTBOUND_WEBHOOKS}/${endpoint.id}/deliveries/${id}`);

        const [sent] = endpoint.about(memoryId);
        expect(body).toMatchObject({
          id,
          body: sent?.raw,
          headers: {
            'X-Service-Event': 'memory.ingested',
            'X-Service-Signature': 'present',
            'webhook-signature': 'present',
            'webhook-timestamp': sent?.headers['webhook-timestamp'],
          },
          attemptLog: [{ status: 500, durationMs: expect.any(Number), answer: ANSWER }],
        });
      });
    },
  },
  {
    id: 'outbound-failed-are-sent-again',
    level: 'should',
    requirement: 'The failed deliveries since a time are sent again by one request, and not twice by a second one.',
    needs: ['outbound-webhooks'],
    async run(target) {
      await target.endpoints.use(async (endpoint) => {
        const path = `${OUTBOUND_WEBHOOKS}/${endpoint.id}`;
        const word = target.word();
        endpoint.answer(word, 410);
        const { id } = await target.stored({ metadata: { word } });
        const delivery = await logged(target, endpoint, id, ({ status }) => status === 'failed');
        await target.send('PATCH', path, { enabled: true });

        const later = await target.send('POST', `${path}/redeliver`, { since: '2999-01-01T00:00:00Z' });
        const again = await target.send('POST', `${path}/redeliver`, { since: '2020-01-01T00:00:00Z' });
        const repeated = await target.send('POST', `${path}/redeliver`, { since: '2020-01-01T00:00:00Z' });
        const second = await target.eventually(async () => endpoint.about(id)[1], 'the delivery that was sent again');

        expect(later.body).toMatchObject({ redelivered: 0, hasMore: false });
        expect(again.status).toBe(202);
        // Events of other checks failed too while the endpoint was switched off.
        expect(again.body).toMatchObject({ redelivered: expect.any(Number), hasMore: false });
        expect(again.body.redelivered).toBeGreaterThanOrEqual(1);
        expect(repeated.body).toMatchObject({ redelivered: 0 });
        expect(second.headers['x-service-delivery']).toBe(delivery.id);
      });
    },
  },
  {
    id: 'outbound-test-event',
    level: 'should',
    requirement: 'A test event is sent on request, also to an endpoint that is switched off, and is in its log.',
    needs: ['outbound-webhooks'],
    async run(target) {
      await target.endpoints.use(async (endpoint) => {
        const path = `${OUTBOUND_WEBHOOKS}/${endpoint.id}`;
        await target.send('PATCH', path, { enabled: false });

        const requested = await target.send('POST', `${path}/test`);
        const sent = await target.eventually(async () => endpoint.about(endpoint.id)[0], 'the test event');

        expect(requested.status).toBe(202);
        expect(sent.headers['x-service-event']).toBe('webhook.test');
        expect(sent.headers['x-service-delivery']).toBe(requested.body.id);
        expect(sent.body).toMatchObject({ event: 'webhook.test', payload: { outcome: 'test', metadata: {} } });
        const { body } = await target.send('GET', `${path}/deliveries`);
        // Until it was switched off, the endpoint received the events of other checks too.
        const logged = (body.outboundDeliveries as { event: string }[]).filter(({ event }) => event === 'webhook.test');
        expect(logged).toMatchObject([{ id: requested.body.id }]);
      });
    },
  },
]);
