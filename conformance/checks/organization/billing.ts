import { expect } from 'vitest';
import type { Answer } from '../../transport/answer.js';
import { needed } from '../../transport/prerequisite.js';
import type { Sending } from '../../transport/request.js';
import type { Capability } from '../../world/capability.js';
import type { Profile } from '../../world/profile.js';
import type { Target } from '../../world/target.js';
import { type Check, defineChecks } from '../check.js';
import { expectRefusal } from '../matchers.js';

const UNKNOWN = '00000000-0000-7000-8000-000000000000';

type Send = (target: Target, sending: Sending) => Promise<Answer>;

const WRITES: Record<string, Send> = {
  ingest: (target, sending) => target.ingest({}, sending),
  upsert: (target, sending) => target.upsert({}, sending),
  batch: (target, sending) => target.send('POST', '/api/memories/batch', { items: [target.fields()] }, sending),
  update: (target, sending) => target.patch(UNKNOWN, { metadata: {} }, sending),
  alias: (target, sending) => target.send('PUT', `/api/memories/${UNKNOWN}`, { metadata: {} }, sending),
  delete: (target, sending) => target.delete(UNKNOWN, sending),
};
const METERED_READS: Record<string, Send> = {
  search: (target, sending) => target.search({ query: 'memory' }, sending),
  export: (target, sending) => target.read('export', {}, sending),
  stats: (target, sending) => target.read('stats', {}, sending),
  changes: (target, sending) => target.read('changes', {}, sending),
  recent: (target, sending) => target.read('recent', {}, sending),
};

function tokenOf(target: Target, name: keyof Profile['tokens']): string {
  return needed(target.profile.tokens[name], `tokens.${name} of the profile`);
}

/** Returns a check that an operation rejects a token of the profile in the given way. */
function refuses(
  id: string,
  needs: Capability,
  token: keyof Profile['tokens'],
  [status, code]: readonly [number, string],
  [name, send]: readonly [string, Send],
): Omit<Check, 'section'> {
  const whom = { unpaid: 'an unpaid organization', overQuota: 'an organization at its cap' }[token as string];
  return {
    id: `${id}-${name}-${status}`,
    level: 'must',
    requirement: `${name} of ${whom ?? 'such an organization'} is rejected with ${status} and the code ${code}.`,
    needs: [needs],
    async run(target) {
      expectRefusal(await send(target, { token: tokenOf(target, token) }), status, code);
    },
  };
}

/** Entitlement and quotas (5.5, and their rows in parts 7 and 8). */
export const billingChecks: readonly Check[] = defineChecks('5.5', [
  ...Object.entries(WRITES).map((write) =>
    refuses('billing-unpaid', 'billing', 'unpaid', [402, 'entitlement_required'], write),
  ),
  {
    id: 'billing-unpaid-reads',
    level: 'must',
    requirement: 'Reads are never rejected because there is no subscription.',
    needs: ['billing'],
    async run(target) {
      const token = tokenOf(target, 'unpaid');
      for (const [name, send] of Object.entries(METERED_READS)) {
        expect((await send(target, { token })).status, name).toBe(200);
      }
      expectRefusal(await target.get(UNKNOWN, {}, { token }), 404);
    },
  },
  {
    id: 'billing-unpaid-tool',
    level: 'must',
    requirement: 'Over the tool interface the error is a tool error.',
    needs: ['billing', 'mcp'],
    async run(target) {
      const caller = { token: tokenOf(target, 'unpaid') };

      const answer = await target.tools.call(caller, 'memory_ingest', { ...target.fields() });

      expect(answer).toMatchObject({ isError: true, data: { code: 'entitlement_required' } });
    },
  },
  ...Object.entries(WRITES)
    .filter(([name]) => ['ingest', 'upsert', 'batch'].includes(name))
    .map((write) =>
      refuses('billing-unknown-price', 'unknown-price', 'unknownPrice', [503, 'service_unavailable'], write),
    ),
  {
    id: 'billing-unknown-price-get',
    level: 'must',
    requirement: 'An operation that is not metered works if the price is unknown.',
    needs: ['unknown-price'],
    async run(target) {
      expectRefusal(await target.get(UNKNOWN, {}, { token: tokenOf(target, 'unknownPrice') }), 404);
    },
  },
  ...Object.entries(WRITES).map((write) =>
    refuses('billing-unconfigured', 'unconfigured-billing', 'unconfiguredBilling', [503, 'service_unavailable'], write),
  ),
  {
    id: 'billing-unconfigured-reads',
    level: 'must',
    requirement: 'Reads work if enforced billing is not configured.',
    needs: ['unconfigured-billing'],
    async run(target) {
      const token = tokenOf(target, 'unconfiguredBilling');
      for (const [name, send] of Object.entries(METERED_READS)) {
        expect((await send(target, { token })).status, name).toBe(200);
      }
    },
  },
  ...Object.entries({ ...WRITES, ...METERED_READS })
    .filter(([name]) => !['batch', 'update', 'alias', 'delete'].includes(name))
    .map((operation) => refuses('quota', 'quota', 'overQuota', [429, 'quota_exceeded'], operation)),
  {
    id: 'billing-events-are-signed',
    level: 'should',
    requirement: 'An event of the billing provider without its signature is rejected with 401.',
    async run(target) {
      const event = { id: 'evt_conformance', type: 'customer.subscription.updated' };

      const unsigned = await target.send('POST', '/webhooks/billing', event, { token: null });
      const wrong = { 'stripe-signature': `t=1,v1=${'0'.repeat(64)}` };

      expectRefusal(unsigned, 401, 'invalid_signature');
      expectRefusal(await target.send('POST', '/webhooks/billing', event, { token: null, headers: wrong }), 401);
    },
  },
  {
    id: 'billing-portal-needs-a-session',
    level: 'should',
    requirement: 'A token gets no link to the portal of the billing provider: that needs a session.',
    needs: ['management'],
    async run(target) {
      const answer = await target.send('POST', '/api/organization/subscription/portal-links');

      expectRefusal(answer, 401, 'unauthenticated');
    },
  },
  {
    id: 'quota-batch-items',
    level: 'must',
    requirement: 'A batch for which the cap leaves nothing gets quota_exceeded, as a whole or item by item.',
    needs: ['quota'],
    async run(target) {
      const sending = { token: tokenOf(target, 'overQuota') };

      const answer = await target.send('POST', '/api/memories/batch', { items: [target.fields()] }, sending);

      if (answer.status === 200) {
        expect(answer.body.results).toMatchObject([{ index: 0, error: { code: 'quota_exceeded' } }]);
      } else {
        expectRefusal(answer, 429, 'quota_exceeded');
      }
    },
  },
  {
    id: 'quota-get-is-free',
    level: 'must',
    requirement: 'get works if the search cap is reached.',
    needs: ['quota'],
    async run(target) {
      expectRefusal(await target.get(UNKNOWN, {}, { token: tokenOf(target, 'overQuota') }), 404);
    },
  },
  {
    id: 'quota-tells-when-it-resets',
    level: 'should',
    requirement: 'quota_exceeded says when the count restarts.',
    needs: ['quota'],
    async run(target) {
      const { body } = await target.search({ query: 'memory' }, { token: tokenOf(target, 'overQuota') });

      expect(Date.parse(String(body.resetsAt))).toBeGreaterThan(Date.now());
    },
  },
]);
