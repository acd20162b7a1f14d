import { createHmac } from 'node:crypto';
import { expect } from 'vitest';
import { EVENT_NAMES, type EventName } from '../../world/endpoints.js';
import type { Target } from '../../world/target.js';
import { type Check, defineChecks } from '../check.js';
import { expectRefusal, expectTimestamp } from '../matchers.js';

const WEBHOOKS = '/api/organization/outbound-webhooks';

/** The write that causes each event, and the outcome in it. */
const MAKERS: Record<EventName, { outcome?: string; make(target: Target): Promise<string> }> = {
  'memory.ingested': { outcome: 'created', make: async (target) => (await target.stored()).id },
  'memory.updated': {
    outcome: 'updated',
    async make(target) {
      const { id } = await target.stored();
      await target.patch(id, { content: target.unique('changed') });
      return id;
    },
  },
  'memory.deleted': { make: async (target) => (await target.deleted()).id },
};

function tellsOf(event: EventName): Omit<Check, 'section'> {
  const { outcome, make } = MAKERS[event];
  return {
    id: `outbound-${event.replace('memory.', '')}`,
    level: 'must',
    requirement: `${event} is sent to an endpoint that chose it, with the id and the outcome of the memory.`,
    needs: ['outbound-webhooks'],
    async run(target) {
      await target.endpoints.use(
        async (endpoint) => {
          const id = await make(target);

          const { body } = await endpoint.delivery(id, event);

          expect(body).toMatchObject({ event, payload: { id, ...(outcome && { outcome }) } });
        },
        [event],
      );
    },
  };
}

/** Outbound webhooks (6.2). */
export const outboundChecks = defineChecks('6.2', [
  ...EVENT_NAMES.map(tellsOf),
  {
    id: 'outbound-headers',
    level: 'must',
    requirement: 'X-Service-Event names the event, and the request is a POST of JSON.',
    needs: ['outbound-webhooks'],
    async run(target) {
      await target.endpoints.use(async (endpoint) => {
        const { id } = await target.stored();

        const { headers } = await endpoint.delivery(id, 'memory.ingested');

        expect(headers['x-service-event']).toBe('memory.ingested');
        expect(headers['content-type']).toContain('application/json');
      });
    },
  },
  {
    id: 'outbound-signature',
    level: 'must',
    requirement: 'X-Service-Signature is sha256= and the HMAC of the raw body under the secret.',
    needs: ['outbound-webhooks'],
    async run(target) {
      await target.endpoints.use(async (endpoint) => {
        const { id } = await target.stored();

        const { headers, raw } = await endpoint.delivery(id, 'memory.ingested');

        const hex = createHmac('sha256', endpoint.secret).update(raw).digest('hex');
        expect(headers['x-service-signature']).toBe(`sha256=${hex}`);
      });
    },
  },
  {
    id: 'outbound-body',
    level: 'must',
    requirement: 'The body has event, an ISO 8601 timestamp, and payload with id, outcome and metadata.',
    needs: ['outbound-webhooks'],
    async run(target) {
      await target.endpoints.use(async (endpoint) => {
        const { id, metadata } = await target.stored({ metadata: { kind: 'note' } });

        const { body } = await endpoint.delivery(id, 'memory.ingested');

        expect(body).toMatchObject({ payload: { id, outcome: 'created', metadata } });
        expectTimestamp(body.timestamp);
      });
    },
  },
  {
    id: 'outbound-has-no-content',
    level: 'must',
    requirement: 'The body does not have the text of the memory.',
    needs: ['outbound-webhooks'],
    async run(target) {
      await target.endpoints.use(async (endpoint) => {
        const { id, content } = await target.stored();

        const { raw, headers } = await endpoint.delivery(id, 'memory.ingested');

        expect(raw + JSON.stringify(headers)).not.toContain(content);
      });
    },
  },
  {
    id: 'outbound-only-chosen-events',
    level: 'must',
    requirement: 'An endpoint gets the events that it chose, and no others.',
    needs: ['outbound-webhooks'],
    async run(target) {
      await target.endpoints.use(
        async (endpoint) => {
          const { id } = await target.stored();
          await target.patch(id, { metadata: { seen: 1 } });
          await target.delete(id);

          await endpoint.delivery(id, 'memory.deleted');
          const later = await target.deleted();
          await endpoint.delivery(later.id, 'memory.deleted');

          expect(endpoint.about(id).map(({ body }) => body.event)).toEqual(['memory.deleted']);
        },
        ['memory.deleted'],
      );
    },
  },
  {
    id: 'outbound-of-every-ingest',
    level: 'must',
    requirement: 'Memories of upserts and batches have events too.',
    needs: ['outbound-webhooks'],
    async run(target) {
      await target.endpoints.use(async (endpoint) => {
        const { id } = await target.storedByKey();
        const { ids } = await target.batch([target.fields(), target.fields()]);

        for (const memoryId of [id, ...ids]) {
          const { body } = await endpoint.delivery(memoryId, 'memory.ingested');
          expect(body.payload).toMatchObject({ outcome: 'created' });
        }
      });
    },
  },
  {
    id: 'outbound-of-merges',
    level: 'should',
    requirement: 'A replay that changes metadata sends memory.updated.',
    needs: ['outbound-webhooks'],
    async run(target) {
      await target.endpoints.use(async (endpoint) => {
        const { id, content } = await target.stored();
        await target.ingest({ content, metadata: { added: 1 } });

        const { body } = await endpoint.delivery(id, 'memory.updated');

        expect(body.payload).toMatchObject({ outcome: 'deduplicated' });
      });
    },
  },
  {
    id: 'outbound-is-retried',
    level: 'must',
    requirement: 'A failed delivery is sent again, under the same id.',
    needs: ['outbound-webhooks'],
    async run(target) {
      await target.endpoints.use(async (endpoint) => {
        const word = target.word();
        endpoint.answer(word, 500);
        const { id } = await target.stored({ metadata: { word } });
        const first = await endpoint.delivery(id, 'memory.ingested');

        const second = await target.eventually(async () => endpoint.about(id)[1], 'the second attempt');

        expect(second.raw).toBe(first.raw);
        expect(second.headers['x-service-delivery']).toBe(first.headers['x-service-delivery']);
      });
    },
  },
  {
    id: 'outbound-standard-headers',
    level: 'should',
    requirement: 'Deliveries have X-Service-Delivery and the three headers of Standard Webhooks.',
    needs: ['outbound-webhooks'],
    async run(target) {
      await target.endpoints.use(async (endpoint) => {
        const { id } = await target.stored();

        const { headers, raw } = await endpoint.delivery(id, 'memory.ingested');

        const key = Buffer.from(endpoint.secret.replace(/^whsec_/, ''), 'base64');
        const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${raw}`;
        const expected = createHmac('sha256', key).update(signed).digest('base64');
        expect(String(headers['webhook-signature']).split(' ')).toContain(`v1,${expected}`);
        expect(headers['x-service-delivery']).toBe(headers['webhook-id']);
      });
    },
  },
  {
    id: 'outbound-secret-is-shown-once',
    level: 'must',
    requirement: 'The signing secret is shown when the endpoint is registered, and never again.',
    needs: ['outbound-webhooks'],
    async run(target) {
      await target.endpoints.use(async ({ id, secret }) => {
        const answers = [await target.send('GET', `${WEBHOOKS}/${id}`), await target.send('GET', WEBHOOKS)];

        for (const answer of answers) {
          expect(answer.text).toContain(id);
          expect(answer.text).not.toContain(secret);
        }
      });
    },
  },
  {
    id: 'outbound-https-alone',
    level: 'must',
    requirement: 'Endpoints on other machines must be reached over https.',
    needs: ['outbound-webhooks'],
    async run(target) {
      for (const url of ['http://hooks.example.com/x', 'ftp://hooks.example.com/x', 'hooks.example.com', '']) {
        expectRefusal(await target.send('POST', WEBHOOKS, { url, events: EVENT_NAMES }), 422);
      }
    },
  },
  {
    id: 'outbound-no-private-addresses',
    level: 'should',
    requirement: 'Endpoints at addresses that are not public, or with a user name, are rejected.',
    needs: ['outbound-webhooks'],
    async run(target) {
      for (const url of ['https://10.0.0.1/x', 'https://169.254.169.254/x', 'https://a:b@hooks.example.com/x']) {
        expectRefusal(await target.send('POST', WEBHOOKS, { url, events: EVENT_NAMES }), 422);
      }
    },
  },
]);
