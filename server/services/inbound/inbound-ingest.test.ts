import { describe, expect, test, vi } from 'vitest';
import { testWorld } from '../../testing/app/test-deps.js';
import { anIssue, aPush, sha } from '../../testing/inbound/code-host.js';
import { contents, deliver, delivery, receive, register } from '../../testing/inbound/deliveries.js';
import { aCommentEvent } from '../../testing/inbound/tracker.js';
import { replaceMethods } from '../../testing/runner/replace-methods.js';
import { failDelivery, ingestDelivery } from './inbound-ingest.js';
import { deleteInboundWebhook } from './inbound-webhooks.js';

describe('ingestDelivery', () => {
  test('writes as the webhook, and audits with the request id of the delivery', async () => {
    const { deps, caller } = await testWorld();
    const sender = await register(deps, caller, 'codehost');

    await deliver(deps, sender, 'issues', anIssue('opened'), 'request-7');

    const [event] = await deps.store.audit.list(caller.organizationId, { limit: 1 });
    expect(event).toMatchObject({
      action: 'memory.upsert',
      actor: { type: 'webhook', id: sender.webhook.id },
      source: 'webhook',
      requestId: 'request-7',
      metadata: { outcome: 'created' },
    });
    expect(event).not.toHaveProperty('actor.userId');
  });

  test('is idempotent, and writes nothing for a delivery that has ended', async () => {
    const { deps, caller } = await testWorld();
    const sender = await register(deps, caller, 'codehost');
    const key = await receive(deps, sender, 'push', aPush([{ id: sha(1) }, { id: sha(2) }]));

    const first = await ingestDelivery(deps, caller.organizationId, key);
    const second = await ingestDelivery(deps, caller.organizationId, key);

    expect([first, second]).toEqual([{ ended: 'processed' }, { ended: 'gone' }]);
    expect(await contents(deps, caller)).toHaveLength(2);
    expect(await delivery(deps, caller, key)).not.toHaveProperty('sealedMemories');
  });

  test('keeps the outcome of a parallel run that ended first', async () => {
    const { deps, caller } = await testWorld();
    const sender = await register(deps, caller, 'codehost');
    const key = await receive(deps, sender, 'push', aPush([{ id: sha(1) }]));
    const failed = vi.spyOn(deps.metrics, 'failedInboundWebhook');
    const { accounts } = deps.store;
    const settings: typeof accounts.settings = async (...given) => {
      await ingestDelivery(deps, caller.organizationId, key);
      return accounts.settings(...given);
    };
    const store = replaceMethods(deps.store, { accounts: replaceMethods(accounts, { settings }) });
    const refusing = { ...deps, store, limits: { ...deps.limits, contentLength: 1 } };

    expect(await ingestDelivery(refusing, caller.organizationId, key)).toEqual({ ended: 'gone' });

    expect(await delivery(deps, caller, key)).toMatchObject({ state: 'processed', counts: { stored: 1, rejected: 0 } });
    expect(failed).not.toHaveBeenCalled();
  });

  test('ends without an error if the webhook was deleted meanwhile', async () => {
    const { deps, caller } = await testWorld();
    const sender = await register(deps, caller, 'codehost');
    const key = await receive(deps, sender, 'push', aPush([{ id: sha(1) }]));
    await deleteInboundWebhook(deps, caller, sender.webhook.id);

    expect(await ingestDelivery(deps, caller.organizationId, key)).toEqual({ ended: 'gone' });
    expect(await contents(deps, caller)).toEqual([]);
  });

  test('splits a push into batches of the maximum size', async () => {
    const { deps, caller } = await testWorld();
    const small = { ...deps, limits: { ...deps.limits, batchItems: 3 } };
    const sender = await register(deps, caller, 'codehost');
    const commits = Array.from({ length: 8 }, (_, at) => ({ id: sha(at) }));
    const key = await receive(deps, sender, 'push', aPush(commits));

    await ingestDelivery(small, caller.organizationId, key);

    expect(await delivery(deps, caller, key)).toMatchObject({ state: 'processed', counts: { stored: 8 } });
  });
});

describe('failDelivery', () => {
  test('marks and counts a queued delivery, and leaves an ended one unchanged', async () => {
    const { deps, caller } = await testWorld();
    const failed = vi.spyOn(deps.metrics, 'failedInboundWebhook');
    const sender = await register(deps, caller, 'tracker');
    const waiting = await receive(deps, sender, undefined, aCommentEvent('create', { id: 'a' }));
    const ended = await deliver(deps, sender, undefined, aCommentEvent('create', { id: 'b', body: 'b' }));

    await failDelivery(deps, caller.organizationId, waiting, 'EmbeddingUnavailableError');
    await failDelivery(deps, caller.organizationId, ended, 'EmbeddingUnavailableError');

    expect(await delivery(deps, caller, waiting)).toMatchObject({
      state: 'failed',
      reason: 'EmbeddingUnavailableError',
    });
    expect(await delivery(deps, caller, ended)).toMatchObject({ state: 'processed' });
    expect(failed.mock.calls).toEqual([['EmbeddingUnavailableError']]);
  });
});

test('queued memories are unreadable in the store', async () => {
  const { deps, caller } = await testWorld();
  const sender = await register(deps, caller, 'codehost');

  const key = await receive(deps, sender, 'issues', anIssue('opened', { body: 'a body nobody may read yet' }));

  expect(JSON.stringify(await delivery(deps, caller, key))).not.toContain('nobody may read');
});
