import { createHmac } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import type { Deps } from '../deps.js';
import type { Caller } from '../domain/caller.js';
import { scanTexts } from '../domain/content-scan/scan.js';
import type { InboundKind } from '../domain/inbound/inbound-webhook.js';
import { EmbeddingUnavailableError } from '../ports/embedder.js';
import { anIssue, aPush, sha } from '../testing/inbound/code-host.js';
import { aCommentEvent } from '../testing/inbound/tracker.js';
import { replaceMethods } from '../testing/replace-methods.js';
import { capped, ENFORCED, subscribe } from '../testing/subscriptions.js';
import { testWorld } from '../testing/test-deps.js';
import { deleteMemory } from './delete.js';
import { failDelivery, ingestDelivery } from './inbound-ingest.js';
import { receiveDelivery } from './inbound-receive.js';
import { createInboundWebhook, deleteInboundWebhook, type ShownWebhook } from './inbound-webhooks.js';

const LATER = '2026-03-03T00:00:00Z';

describe('ingestDelivery', () => {
  test('writes as the webhook, with the request that brought it, and audits like any write', async () => {
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

  test('does no harm when it runs again, and writes nothing of a delivery that has ended', async () => {
    const { deps, caller } = await testWorld();
    const sender = await register(deps, caller, 'codehost');
    const key = await receive(deps, sender, 'push', aPush([{ id: sha(1) }, { id: sha(2) }]));

    const first = await ingestDelivery(deps, caller.organizationId, key);
    const second = await ingestDelivery(deps, caller.organizationId, key);

    expect([first, second]).toEqual([{ ended: 'processed' }, { ended: 'gone' }]);
    expect(await contents(deps, caller)).toHaveLength(2);
    expect(await delivery(deps, caller, key)).not.toHaveProperty('sealedMemories');
  });

  test('leaves the outcome of a run that was beside it and ended first', async () => {
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

  test('stores each commit once, whichever branches bring it', async () => {
    const { deps, caller } = await testWorld();
    const sender = await register(deps, caller, 'codehost');

    await deliver(deps, sender, 'push', aPush([{ id: sha(1) }, { id: sha(2) }]));
    await deliver(deps, sender, 'push', aPush([{ id: sha(2) }, { id: sha(3) }], { ref: 'refs/heads/release' }));

    expect(await contents(deps, caller)).toHaveLength(3);
  });

  test('keeps the later state of an issue, in whichever order the deliveries come', async () => {
    const { deps, caller } = await testWorld();
    const sender = await register(deps, caller, 'codehost');

    await deliver(deps, sender, 'issues', anIssue('edited', { title: 'Later', updated_at: LATER }));
    const key = await deliver(deps, sender, 'issues', anIssue('opened', { title: 'Earlier' }));

    expect(await contents(deps, caller)).toEqual([expect.stringMatching(/^Later/)]);
    expect(await delivery(deps, caller, key)).toMatchObject({ state: 'processed', counts: { stored: 0, skipped: 1 } });
  });

  test('tells apart two comments that say the same', async () => {
    const { deps, caller } = await testWorld();
    const sender = await register(deps, caller, 'tracker');

    await deliver(deps, sender, undefined, aCommentEvent('create', { id: 'a', body: '+1' }));
    await deliver(deps, sender, undefined, aCommentEvent('create', { id: 'b', body: '+1', createdAt: LATER }));

    expect(await contents(deps, caller)).toHaveLength(2);
  });

  test('leaves a memory alone that the organization deleted', async () => {
    const { deps, caller } = await testWorld();
    const sender = await register(deps, caller, 'codehost');
    await deliver(deps, sender, 'issues', anIssue('opened'));
    const [memory] = await deps.store.memories.list(caller.organizationId, EVERYTHING);
    await deleteMemory(deps, caller, memory!.id);

    const key = await deliver(deps, sender, 'issues', anIssue('edited', { updated_at: LATER }));

    expect(await contents(deps, caller)).toEqual([]);
    expect(await delivery(deps, caller, key)).toMatchObject({ state: 'processed', counts: { skipped: 1 } });
  });

  test('fails for a later attempt while texts cannot be embedded, with nothing stored', async () => {
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

  test('waits where the minute of the webhook is used up', async () => {
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

  test('drops what an unpaid organization is sent: no memory, no usage, a failed delivery', async () => {
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

  test('drops what comes after the monthly cap, and stores nothing of it', async () => {
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

  test('waits while it cannot be told whether the organization may write', async () => {
    const { deps, caller } = await testWorld({ billing: { ...ENFORCED, configured: false } });
    const sender = await register(deps, caller, 'codehost');
    const key = await receive(deps, sender, 'push', aPush([{ id: sha(1) }]));

    await expect(ingestDelivery(deps, caller.organizationId, key)).rejects.toMatchObject({ status: 503 });

    expect(await delivery(deps, caller, key)).toMatchObject({ state: 'queued' });
  });

  test('scans like any write: a commit that holds a secret is refused, the others are stored', async () => {
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

  test('passes the scan with what real senders put around a text', async () => {
    const { deps, caller } = await testWorld({ contentScan: scanTexts });
    const [host, tracker] = [await register(deps, caller, 'codehost'), await register(deps, caller, 'tracker')];

    await deliver(deps, host, 'push', aPush([{ id: sha(1), message: 'Fix\n\nCo-authored-by: Bo <bo@acme.example>' }]));
    await deliver(deps, host, 'issues', anIssue('opened'));
    await deliver(deps, tracker, undefined, aCommentEvent('create'));

    expect(await contents(deps, caller)).toHaveLength(3);
  });

  test('may come again after it failed, and is then ingested', async () => {
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

  test('ends quietly when the webhook was removed meanwhile', async () => {
    const { deps, caller } = await testWorld();
    const sender = await register(deps, caller, 'codehost');
    const key = await receive(deps, sender, 'push', aPush([{ id: sha(1) }]));
    await deleteInboundWebhook(deps, caller, sender.webhook.id);

    expect(await ingestDelivery(deps, caller.organizationId, key)).toEqual({ ended: 'gone' });
    expect(await contents(deps, caller)).toEqual([]);
  });

  test('brings a push in batches of the size that the service takes', async () => {
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
  test('marks a queued delivery, counts it, and leaves one alone that has ended', async () => {
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

test('what waits to be ingested cannot be read in the store', async () => {
  const { deps, caller } = await testWorld();
  const sender = await register(deps, caller, 'codehost');

  const key = await receive(deps, sender, 'issues', anIssue('opened', { body: 'a body nobody may read yet' }));

  expect(JSON.stringify(await delivery(deps, caller, key))).not.toContain('nobody may read');
});

const EVERYTHING = { filter: { metadata: [] }, includeDeleted: false, order: 'oldest', limit: 100 } as const;

async function register(deps: Deps, caller: Caller, kind: InboundKind): Promise<ShownWebhook> {
  return createInboundWebhook(deps, caller, { kind, name: 'sender' });
}

/** The key of a delivery that was taken in and is queued. */
async function receive(
  deps: Deps,
  { webhook, secret }: ShownWebhook,
  event: string | undefined,
  payload: object,
  requestId = 'request-1',
): Promise<string> {
  const body = Buffer.from(JSON.stringify(payload));
  const digest = createHmac('sha256', secret).update(body).digest('hex');
  const receipt = await receiveDelivery(deps, {
    kind: webhook.kind,
    webhookId: webhook.id,
    body,
    parse: (bytes) => JSON.parse(bytes.toString()) as unknown,
    signature: webhook.kind === 'codehost' ? `sha256=${digest}` : digest,
    event,
    deliveryId: deps.newId(),
    origin: { requestId },
  });
  expect(receipt).toBe('queued');
  const [latest] = await deps.store.inbound.listDeliveries(webhook.organizationId, webhook.id, { limit: 1 });
  return latest!.key;
}

async function deliver(...given: Parameters<typeof receive>): Promise<string> {
  const [deps, { webhook }] = given;
  const key = await receive(...given);
  await ingestDelivery(deps, webhook.organizationId, key);
  return key;
}

async function delivery(deps: Deps, { organizationId }: Caller, key: string): Promise<object> {
  return (await deps.store.inbound.findDelivery(organizationId, key))!;
}

async function contents(deps: Deps, { organizationId }: Caller): Promise<string[]> {
  return (await deps.store.memories.list(organizationId, EVERYTHING)).map(({ content }) => content);
}

async function ingestedIn(deps: Deps, { organizationId }: Caller): Promise<number> {
  const month = new Date(deps.now() / 1_000).toISOString().slice(0, 7);
  return (await deps.store.usage.read(organizationId, month)).ingest;
}
