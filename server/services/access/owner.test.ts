import { expect, test } from 'vitest';
import type { Deps } from '../../deps.js';
import type { Caller } from '../../domain/account/caller.js';
import { ForbiddenError } from '../../errors.js';
import { testWorld } from '../../testing/app/test-deps.js';
import { replaceMethods } from '../../testing/runner/replace-methods.js';
import {
  createInboundWebhook,
  deleteInboundWebhook,
  rotateInboundWebhookSecret,
  updateInboundWebhook,
} from '../inbound/inbound-webhooks.js';
import { invite, revokeInvitation } from '../organization/invitations.js';
import { changeRole } from '../organization/members.js';
import { provision } from '../organization/provision.js';
import { updateSettings } from '../organization/settings.js';
import { redeliver, redeliverFailed, sendTestEvent } from '../outbound/outbound-deliveries.js';
import {
  createOutboundWebhook,
  deleteOutboundWebhook,
  rotateOutboundWebhookSecret,
  updateOutboundWebhook,
} from '../outbound/outbound-webhooks.js';
import { ingest } from '../writing/ingest.js';
import { assertRole } from './owner.js';
import { userOf } from './user-of.js';

/** Ids of what only owners may change. */
interface Things {
  inbound: string;
  outbound: string;
  delivery: string;
  invitation: string;
}

const OUTBOUND = { url: 'https://example.com/hook', events: ['memory.ingested'] } as const;

const OPERATIONS: Record<string, (deps: Deps, caller: Caller, things: Things) => Promise<unknown>> = {
  createInboundWebhook: (deps, caller) => createInboundWebhook(deps, caller, { kind: 'tracker', name: 'x' }),
  updateInboundWebhook: (deps, caller, { inbound }) => updateInboundWebhook(deps, caller, inbound, { enabled: false }),
  rotateInboundWebhookSecret: (deps, caller, { inbound }) => rotateInboundWebhookSecret(deps, caller, inbound),
  deleteInboundWebhook: (deps, caller, { inbound }) => deleteInboundWebhook(deps, caller, inbound),
  createOutboundWebhook: (deps, caller) => createOutboundWebhook(deps, caller, OUTBOUND),
  updateOutboundWebhook: (deps, caller, { outbound }) =>
    updateOutboundWebhook(deps, caller, outbound, { enabled: false }),
  rotateOutboundWebhookSecret: (deps, caller, { outbound }) => rotateOutboundWebhookSecret(deps, caller, outbound),
  deleteOutboundWebhook: (deps, caller, { outbound }) => deleteOutboundWebhook(deps, caller, outbound),
  sendTestEvent: (deps, caller, { outbound }) => sendTestEvent(deps, caller, outbound),
  redeliverFailed: (deps, caller, { outbound }) => redeliverFailed(deps, caller, { webhookId: outbound, since: 0 }),
  redeliver: (deps, caller, { outbound, delivery }) => redeliver(deps, caller, outbound, delivery),
  invite: (deps, caller) => invite(deps, caller, { email: 'back@example.test', role: 'owner' }),
  revokeInvitation: (deps, caller, { invitation }) => revokeInvitation(deps, caller, invitation),
  updateSettings: (deps, caller) => updateSettings(deps, caller, { semanticDedupe: false }),
  changeRole: (deps, caller) => changeRole(deps, caller, userOf(caller), 'owner'),
};

test.each(Object.entries(OPERATIONS))(
  '%s changes nothing if the caller stops being an owner meanwhile',
  async (_, operation) => {
    const { deps, caller } = await testWorld();
    const { organizationId } = caller;
    const things = await makeThings(deps, caller);
    await provision(deps, { organizationId, email: 'other@example.test' });
    const becomesMember: Deps['store']['transact'] = async (id, work) => {
      await deps.store.transact(id, ({ accounts }) => accounts.changeRole(userOf(caller), 'member'));
      return deps.store.transact(id, work);
    };
    const meanwhile = { ...deps, store: replaceMethods(deps.store, { transact: becomesMember }) };

    const done = operation(meanwhile, caller, things);

    await expect(done).rejects.toMatchObject({ code: 'owner_required' });
  },
);

async function makeThings(deps: Deps, caller: Caller): Promise<Things> {
  const { organizationId } = caller;
  const inbound = await createInboundWebhook(deps, caller, { kind: 'codehost', name: 'x' });
  const outbound = await createOutboundWebhook(deps, caller, OUTBOUND);
  await ingest(deps, caller, { content: 'announced' });
  const webhookId = outbound.webhook.id;
  const [delivery] = await deps.store.outbound.listDeliveries(organizationId, { webhookId, limit: 1 });
  const { invitation } = await invite(deps, caller, { email: 'new@example.test', role: 'member' });
  return { inbound: inbound.webhook.id, outbound: webhookId, delivery: delivery!.id, invitation: invitation.id };
}

test('assertRole accepts the listed roles, and rejects a user without a role', () => {
  expect(() => assertRole('owner', ['owner'])).not.toThrow();
  expect(() => assertRole('member', ['owner'])).toThrow(ForbiddenError);
  expect(() => assertRole(undefined, ['owner', 'member', 'readonly'])).toThrow(ForbiddenError);
});
