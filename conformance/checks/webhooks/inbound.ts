import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { needed } from '../../transport/prerequisite.js';
import { push, trackerEvent } from '../../world/sender-events.js';
import { type Check, defineChecks } from '../check.js';
import { expectRefusal } from '../matchers.js';

const UNKNOWN = '00000000-0000-7000-8000-000000000000';

/** How inbound webhooks are authenticated and answered (4.14). */
const deliveryChecks = defineChecks('4.14', [
  {
    id: 'inbound-codehost-signature-401',
    level: 'must',
    requirement: 'A delivery of the code host without the right signature gets 401.',
    needs: ['inbound-webhooks'],
    async run(target) {
      const sender = await target.senders.get('codehost');
      const { payload } = push();
      for (const signature of [null, '', 'sha256=', `sha256=${'0'.repeat(64)}`, '0'.repeat(64)]) {
        expectRefusal(await target.senders.deliver(sender, payload, { signature }), 401);
      }
      const other = { ...sender, secret: `${sender.secret}x` };
      expectRefusal(await target.senders.deliver(other, payload), 401);
    },
  },
  {
    id: 'inbound-tracker-signature-401',
    level: 'must',
    requirement: 'A delivery of the tracker without the right signature gets 401.',
    needs: ['inbound-webhooks'],
    async run(target) {
      const sender = await target.senders.get('tracker');
      const { payload } = trackerEvent('Issue');
      for (const signature of [null, '', '0'.repeat(64)]) {
        expectRefusal(await target.senders.deliver(sender, payload, { signature }), 401);
      }
      const other = { ...sender, secret: `${sender.secret}x` };
      expectRefusal(await target.senders.deliver(other, payload), 401);
    },
  },
  {
    id: 'inbound-signature-of-raw-body',
    level: 'must',
    requirement: 'The signature is over the bytes of the body as they were sent.',
    needs: ['inbound-webhooks'],
    async run(target) {
      const sender = await target.senders.get('codehost');
      const spaced = JSON.stringify(push().payload, null, 3).replace('Ana', '\\u0041na');

      const answer = await target.senders.deliver(sender, spaced);

      expect(answer.status, answer.text).toBeLessThan(300);
    },
  },
  {
    id: 'inbound-unknown-webhook-401',
    level: 'should',
    requirement: 'A webhook that does not exist is answered like a wrong signature.',
    needs: ['inbound-webhooks'],
    async run(target) {
      const sender = { ...(await target.senders.get('codehost')), id: UNKNOWN };

      expectRefusal(await target.senders.deliver(sender, push().payload), 401, 'invalid_signature');
    },
  },
  {
    id: 'inbound-codehost-202',
    level: 'should',
    requirement: 'An accepted delivery of the code host gets 202 and queued.',
    needs: ['inbound-webhooks'],
    async run(target) {
      const answer = await target.senders.deliver(await target.senders.get('codehost'), push().payload);

      expect(answer.status).toBe(202);
      expect(answer.body).toEqual({ status: 'queued' });
    },
  },
  {
    id: 'inbound-tracker-200',
    level: 'should',
    requirement: 'An accepted delivery of the tracker gets 200 and queued.',
    needs: ['inbound-webhooks'],
    async run(target) {
      const { payload } = trackerEvent('Issue');

      const answer = await target.senders.deliver(await target.senders.get('tracker'), payload);

      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({ status: 'queued' });
    },
  },
  {
    id: 'inbound-duplicate-delivery',
    level: 'should',
    requirement: 'A repeated delivery is recognised, and ingested once.',
    needs: ['inbound-webhooks'],
    async run(target) {
      const sender = await target.senders.get('codehost');
      const { project, payload } = push();
      const deliveryId = randomUUID();
      await target.senders.deliver(sender, payload, { deliveryId });

      const again = await target.senders.deliver(sender, payload, { deliveryId });

      expect(again.body).toEqual({ status: 'duplicate' });
      expect(await target.senders.memoriesOf(project)).toHaveLength(1);
    },
  },
]);

/** Returns a check that a queued delivery is dropped if a write would be rejected. */
function dropped(token: 'unpaid' | 'overQuota', reason: string): Omit<Check, 'section'> {
  return {
    id: `inbound-${token === 'unpaid' ? 'unpaid' : 'over-quota'}-dropped`,
    level: 'must',
    requirement: `A delivery to an organization that would get ${reason} is dropped, and makes no memory.`,
    needs: ['inbound-webhooks', 'management', token === 'unpaid' ? 'billing' : 'quota'],
    async run(target) {
      const credential = needed(target.profile.tokens[token], `tokens.${token} of the profile`);
      const sender = await target.senders.make('codehost', undefined, credential);
      const deliveryId = randomUUID();
      await target.senders.deliver(sender, push().payload, { deliveryId });

      const fate = await target.senders.fateOf(sender, deliveryId, credential);

      expect(fate).toMatchObject({ state: 'failed', reason });
    },
  };
}

/** How inbound webhooks are delivered (4.14), and their rule of entitlement (5.5). */
export const inboundChecks: readonly Check[] = [
  ...deliveryChecks,
  ...defineChecks('5.5', [dropped('unpaid', 'entitlement_required'), dropped('overQuota', 'quota_exceeded')]),
];
