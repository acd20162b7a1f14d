import { describe, expect, test, vi } from 'vitest';
import type { Deps } from '../../deps.js';
import type { Caller } from '../../domain/account/caller.js';
import { scanTexts } from '../../domain/content-scan/scan.js';
import { EmbeddingUnavailableError } from '../../ports/embedder.js';
import { testWorld } from '../../testing/app/test-deps.js';
import { capped, ENFORCED, subscribe } from '../../testing/fixtures/subscriptions.js';
import { anIssue, aPush, sha } from '../../testing/inbound/code-host.js';
import { contents, deliver, delivery, receive, register } from '../../testing/inbound/deliveries.js';
import { aCommentEvent } from '../../testing/inbound/tracker.js';
import { ingestDelivery } from './inbound-ingest.js';

describe('ingestDelivery', () => {
  test('fails without storing anything while content cannot be embedded, so that it is retried', async () => {
    const { deps, caller } = await testWorld();
    const sender = await register(deps, caller, 'codehost');
    const key = await receive(deps, sender, 'push', aPush([{ id: sha(1) }, { id: sha(2) }]));

    deps.embedder.down = true;
    await expect(ingestDelivery(deps, caller.organizationId, key)).rejects.toThrow(EmbeddingUnavailableError);
    expect(await delivery(deps, caller, key)).toMatchObject({ state: 'queued' });
    deps.embedder.down = false;

    expect(await ingestDelivery(deps, caller.organizationId, key)).toEqual({ ended: 'processed' });
    expect(await contents(deps, caller)).toHaveLength(2);
  });

  test('waits if the webhook is over its rate limit', async () => {
    const { deps, caller } = await testWorld();
    const sender = await register(deps, caller, 'codehost');
    const consume = vi.fn(async () => ({ allowed: false, limit: 60, remaining: 0, resetMs: 4_200 }));
    const limited = { ...deps, rateLimiter: { consume } };
    const key = await receive(deps, sender, 'push', aPush([{ id: sha(1) }]));

    const waiting = await ingestDelivery(limited, caller.organizationId, key);

    expect(waiting).toEqual({ retryAfterMs: 4_200 });
    expect(consume).toHaveBeenCalledWith('ingest', caller.organizationId, sender.webhook.id);
    expect(await contents(deps, caller)).toEqual([]);
  });

  test('fails the delivery of an organization without entitlement, and stores and counts nothing', async () => {
    const { deps, caller } = await testWorld({ billing: ENFORCED });
    const sender = await register(deps, caller, 'codehost');
    const failed = vi.spyOn(deps.metrics, 'failedInboundWebhook');

    const key = await deliver(deps, sender, 'push', aPush([{ id: sha(1) }, { id: sha(2) }]));

    expect(await delivery(deps, caller, key)).toMatchObject({
      state: 'failed',
      reason: 'entitlement_required',
      counts: { stored: 0, rejected: 2 },
    });
    expect(await contents(deps, caller)).toEqual([]);
    expect(failed.mock.calls).toEqual([['entitlement_required']]);
    expect(await ingestedIn(deps, caller)).toBe(0);
  });

  test('drops the memories beyond the monthly cap', async () => {
    const { deps, caller } = await testWorld({ billing: capped({ ingestPerMonth: 2 }) });
    await subscribe(deps, caller.organizationId);
    const sender = await register(deps, caller, 'codehost');
    const failed = vi.spyOn(deps.metrics, 'failedInboundWebhook');
    await deliver(deps, sender, 'push', aPush([{ id: sha(1) }, { id: sha(2) }]));

    const one = await deliver(deps, sender, 'issues', anIssue('opened'));
    const many = await deliver(deps, sender, 'push', aPush([{ id: sha(3) }, { id: sha(4) }]));

    for (const key of [one, many]) {
      expect(await delivery(deps, caller, key)).toMatchObject({ state: 'failed', reason: 'quota_exceeded' });
    }
    expect(await contents(deps, caller)).toHaveLength(2);
    expect(failed).toHaveBeenCalledTimes(2);
  });

  test('waits while the entitlement of the organization cannot be determined', async () => {
    const { deps, caller } = await testWorld({ billing: { ...ENFORCED, configured: false } });
    const sender = await register(deps, caller, 'codehost');
    const key = await receive(deps, sender, 'push', aPush([{ id: sha(1) }]));

    await expect(ingestDelivery(deps, caller.organizationId, key)).rejects.toMatchObject({ status: 503 });

    expect(await delivery(deps, caller, key)).toMatchObject({ state: 'queued' });
  });

  test('scans like any write: rejects a commit with a secret, and stores the others', async () => {
    const { deps, caller } = await testWorld({ contentScan: scanTexts });
    const sender = await register(deps, caller, 'codehost');
    const secret = `Use ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`;

    const mixed = await deliver(deps, sender, 'push', aPush([{ id: sha(1), message: secret }, { id: sha(2) }]));
    const alone = await deliver(deps, sender, 'push', aPush([{ id: sha(3), message: secret }]));

    expect(await delivery(deps, caller, mixed)).toMatchObject({
      state: 'processed',
      reason: 'content_rejected',
      counts: { stored: 1, rejected: 1 },
    });
    expect(await delivery(deps, caller, alone)).toMatchObject({ state: 'failed', reason: 'content_rejected' });
    expect(await contents(deps, caller)).toHaveLength(1);
  });

  test('stores memories with the links and ids that real senders add', async () => {
    const { deps, caller } = await testWorld({ contentScan: scanTexts });
    const [host, tracker] = [await register(deps, caller, 'codehost'), await register(deps, caller, 'tracker')];

    await deliver(deps, host, 'push', aPush([{ id: sha(1), message: 'Fix\n\nCo-authored-by: Bo <bo@acme.example>' }]));
    await deliver(deps, host, 'issues', anIssue('opened'));
    await deliver(deps, tracker, undefined, aCommentEvent('create'));

    expect(await contents(deps, caller)).toHaveLength(3);
  });

  test('ingests a failed delivery that is sent again', async () => {
    const { deps, caller } = await testWorld({ billing: ENFORCED });
    const sender = await register(deps, caller, 'codehost');
    const push = aPush([{ id: sha(1) }]);
    await deliver(deps, sender, 'push', push);
    await subscribe(deps, caller.organizationId);

    await deliver(deps, sender, 'push', push);

    expect(await contents(deps, caller)).toHaveLength(1);
    const listed = await deps.store.inbound.listDeliveries(caller.organizationId, sender.webhook.id, { limit: 9 });
    expect(listed).toMatchObject([{ state: 'processed' }]);
  });
});

async function ingestedIn(deps: Deps, { organizationId }: Caller): Promise<number> {
  const month = new Date(deps.now() / 1_000).toISOString().slice(0, 7);
  return (await deps.store.usage.read(organizationId, month)).ingest;
}
