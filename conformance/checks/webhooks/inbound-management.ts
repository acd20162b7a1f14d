import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { push } from '../../world/sender-events.js';
import type { Sender } from '../../world/senders.js';
import type { Target } from '../../world/target.js';
import { defineChecks } from '../check.js';
import { expectRefusal } from '../matchers.js';

const WEBHOOKS = '/api/organization/inbound-webhooks';

/** Returns the status that a sender's delivery gets. */
async function statusOf(target: Target, sender: Sender): Promise<number> {
  const ping = { zen: target.word() };
  return (await target.senders.deliver(sender, ping, { event: 'ping' })).status;
}

async function rotate(target: Target, sender: Sender): Promise<Sender> {
  const { status, body } = await target.send('POST', `${WEBHOOKS}/${sender.id}/rotate-secret`);
  expect(status).toBe(200);
  expect(body.secret).not.toBe(sender.secret);
  return { ...sender, secret: String(body.secret) };
}

/** Registration, changes and the log of inbound webhooks (2.4). */
export const inboundManagementChecks = defineChecks('2.4', [
  {
    id: 'inbound-is-read-without-secret',
    level: 'must',
    requirement: 'A registration is listed and read without its secret.',
    needs: ['inbound-webhooks', 'management'],
    async run(target) {
      const { id, secret } = await target.senders.make('tracker');

      const listed = await target.send('GET', WEBHOOKS, undefined, { query: { limit: target.largestPage } });
      const read = await target.send('GET', `${WEBHOOKS}/${id}`);

      expect(read.body).toMatchObject({ id, kind: 'tracker', enabled: true, path: `/webhooks/tracker/${id}` });
      expect(listed.text).toContain(id);
      expect(listed.text + read.text).not.toContain(secret);
    },
  },
  {
    id: 'inbound-removed-401',
    level: 'should',
    requirement: 'A removed registration gets 404, and its deliveries are rejected with 401.',
    needs: ['inbound-webhooks', 'management'],
    async run(target) {
      const sender = await target.senders.make('codehost');
      const path = `${WEBHOOKS}/${sender.id}`;

      expect((await target.send('DELETE', path)).status).toBe(204);

      expectRefusal(await target.send('GET', path), 404);
      expect(await statusOf(target, sender)).toBe(401);
    },
  },
  {
    id: 'inbound-disabled-401',
    level: 'should',
    requirement: 'Deliveries to a disabled webhook are rejected with 401, and accepted when it is enabled again.',
    needs: ['inbound-webhooks', 'management'],
    async run(target) {
      const sender = await target.senders.make('codehost');
      const enable = (enabled: boolean) => target.send('PATCH', `${WEBHOOKS}/${sender.id}`, { enabled });

      expect((await enable(false)).body).toMatchObject({ enabled: false });
      expect(await statusOf(target, sender)).toBe(401);
      await enable(true);
      expect(await statusOf(target, sender)).toBe(202);
    },
  },
  {
    id: 'inbound-rotation-overlaps',
    level: 'should',
    requirement: 'After a rotation the new secret and the previous one are accepted, and older ones are not.',
    needs: ['inbound-webhooks', 'management'],
    async run(target) {
      const first = await target.senders.make('codehost');
      const second = await rotate(target, first);
      const afterOne = [await statusOf(target, first), await statusOf(target, second)];
      const third = await rotate(target, second);
      const afterTwo = [first, second, third].map((sender) => statusOf(target, sender));

      expect(afterOne).toEqual([202, 202]);
      expect(await Promise.all(afterTwo)).toEqual([401, 202, 202]);
    },
  },
  {
    id: 'inbound-log',
    level: 'should',
    requirement: 'The log of an inbound webhook has the result of a delivery, and nothing of its content.',
    needs: ['inbound-webhooks', 'management'],
    async run(target) {
      const sender = await target.senders.get('codehost');
      const { project, message, payload } = push();
      const deliveryId = randomUUID();
      await target.senders.deliver(sender, payload, { deliveryId });
      await target.senders.memoriesOf(project);

      const fate = await target.senders.fateOf(sender, deliveryId);
      const log = await target.send('GET', `${WEBHOOKS}/${sender.id}/deliveries`);

      expect(fate).toMatchObject({ deliveryId, event: 'push', state: 'processed', counts: { stored: 1 } });
      expect(log.text).not.toContain(message);
    },
  },
  {
    id: 'inbound-log-by-state',
    level: 'should',
    requirement: 'The log of an inbound webhook can be limited to deliveries in one state.',
    needs: ['inbound-webhooks', 'management'],
    async run(target) {
      const sender = await target.senders.make('codehost');
      const { project, payload } = push();
      await target.senders.deliver(sender, payload, { deliveryId: randomUUID() });
      await target.senders.memoriesOf(project);
      const path = `${WEBHOOKS}/${sender.id}/deliveries`;
      const inState = (state: string) => target.send('GET', path, undefined, { query: { state } });

      await target.eventually(async () => {
        const { body } = await inState('processed');
        return (body.inboundDeliveries as unknown[] | undefined)?.[0];
      }, 'the delivery among the processed ones');

      expect((await inState('failed')).body.inboundDeliveries).toEqual([]);
    },
  },
  {
    id: 'inbound-refusals-are-counted',
    level: 'should',
    requirement: 'Refused requests to an inbound webhook are counted, with the reason of the latest one.',
    needs: ['inbound-webhooks', 'management'],
    async run(target) {
      const sender = await target.senders.make('codehost');
      const path = `${WEBHOOKS}/${sender.id}`;
      const { body: before } = await target.send('GET', path);

      await target.senders.deliver({ ...sender, secret: 'not the secret' }, push().payload);
      const refusals = await target.eventually(async () => {
        const { body } = await target.send('GET', path);
        const found = body.refusals as { count: number; lastReason?: string } | undefined;
        return found?.count ? found : undefined;
      }, 'the refused request in the count');

      expect(before).toMatchObject({ refusals: { count: 0 } });
      expect(refusals).toMatchObject({ count: 1, lastAt: expect.any(String), lastReason: 'signature' });
    },
  },
  {
    id: 'inbound-broken-deliveries',
    level: 'should',
    requirement:
      'A signed delivery gets 400 if it is not JSON, 415 if it is sent as something else, 422 if it names no event.',
    needs: ['inbound-webhooks'],
    async run(target) {
      for (const kind of ['codehost', 'tracker'] as const) {
        const sender = await target.senders.get(kind);
        const headers = { 'content-type': 'text/plain' };

        expectRefusal(await target.senders.deliver(sender, '{"unfinished":'), 400, 'invalid_json');
        expectRefusal(await target.senders.deliver(sender, '{}', { headers }), 415, 'unsupported_media_type');
        expectRefusal(await target.senders.deliver(sender, { nothing: target.word() }, { event: '' }), 422);
      }
    },
  },
]);
