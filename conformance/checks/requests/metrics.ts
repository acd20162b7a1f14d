import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { needed, PrerequisiteError } from '../../transport/prerequisite.js';
import { push } from '../../world/sender-events.js';
import type { Target } from '../../world/target.js';
import { type Check, defineChecks } from '../check.js';
import { expectRefusal } from '../matchers.js';

/** One line of the failed deliveries, whatever the names begin with. */
const FAILED_INBOUND = /^\S*inbound_webhooks_failed_total(?:\{[^}]*\})? +(\d+)/gm;

async function failedDeliveries(target: Target): Promise<number> {
  const { token } = target.profile.metrics ?? {};
  const answer = await target.send('GET', '/metrics', undefined, { token: token ?? null });
  if (answer.status !== 200) {
    throw new PrerequisiteError(
      `the metrics were answered with ${answer.status}: name their token in the profile as metrics.token, or run --without metrics`,
    );
  }
  return Array.from(answer.text.matchAll(FAILED_INBOUND), ([, count]) => Number(count)).reduce((sum, n) => sum + n, 0);
}

/** Delivers a push to the unpaid organization, and waits until it is processed. */
async function dropDelivery(target: Target, token: string): Promise<void> {
  const sender = await target.senders.make('codehost', undefined, token);
  const deliveryId = randomUUID();
  await target.senders.deliver(sender, push().payload, { deliveryId });
  const { state } = await target.senders.fateOf(sender, deliveryId, token);
  if (state !== 'failed') throw new PrerequisiteError(`the delivery ended as ${state}`);
}

function unpaid({ profile }: Target): string {
  return needed(profile.tokens.unpaid, 'tokens.unpaid of the profile');
}

/** Metrics of dropped deliveries, and who may read them (5.5). */
export const metricChecks: readonly Check[] = [
  ...defineChecks('5.5', [
    {
      id: 'inbound-dropped-counts-as-failed',
      level: 'must',
      requirement: 'A delivery that is dropped counts as a failed inbound webhook in the metrics.',
      needs: ['metrics', 'billing', 'inbound-webhooks', 'management'],
      async run(target) {
        const before = await failedDeliveries(target);

        await dropDelivery(target, unpaid(target));

        expect(await failedDeliveries(target)).toBeGreaterThan(before);
      },
    },
    {
      id: 'inbound-dropped-uses-nothing',
      level: 'must',
      requirement: 'A delivery that is dropped records no usage.',
      needs: ['billing', 'inbound-webhooks', 'management'],
      async run(target) {
        const token = unpaid(target);
        const used = async () =>
          (await target.send('GET', '/api/organization/usage', undefined, { token })).body.ingest;
        const before = await used();

        await dropDelivery(target, token);

        expect(await used()).toEqual(before);
      },
    },
    {
      id: 'metrics-of-the-operator',
      level: 'should',
      requirement: 'Metrics are hidden from requests through a proxy without the token of the operator.',
      needs: ['metrics'],
      async run(target) {
        const sending = { token: target.token, headers: { 'x-forwarded-for': '203.0.113.7' } };

        expectRefusal(await target.send('GET', '/metrics', undefined, sending), 401);
      },
    },
  ]),
];
