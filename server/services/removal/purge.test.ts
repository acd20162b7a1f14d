import { describe, expect, test } from 'vitest';
import { anotherCaller, testWorld } from '../../testing/app/test-deps.js';
import { updateSettings } from '../organization/settings.js';
import { createOutboundWebhook } from '../outbound/outbound-webhooks.js';
import { tendAll } from '../upkeep/tend.js';
import { ingest } from '../writing/ingest.js';
import { deleteMemory } from './delete.js';
import { purgeMemory } from './purge.js';
import { restoreMemory } from './restore.js';

const DAY_US = 24 * 60 * 60 * 1_000_000;

describe('the deliveries of a purged memory', () => {
  test('are deleted, and an unsent memory.deleted is sent without metadata', async () => {
    const { deps, caller } = await testWorld();
    const { webhook } = await createOutboundWebhook(deps, caller, {
      url: 'https://example.com/hook',
      events: ['memory.ingested', 'memory.deleted'],
    });
    const { memory } = await ingest(deps, caller, { content: 'x', metadata: { kind: 'private' } });
    await deleteMemory(deps, caller, memory.id);

    await purgeMemory(deps, caller, memory.id);

    const left = await deps.store.outbound.listDeliveries(caller.organizationId, { webhookId: webhook.id, limit: 9 });
    expect(left).toMatchObject([{ event: 'memory.deleted', memoryId: memory.id, status: 'pending' }]);
    const told = await deps.store.outbound.findDelivery(caller.organizationId, left[0]!.id);
    expect(JSON.parse(told!.body)).toMatchObject({ payload: { id: memory.id, outcome: 'deleted', metadata: {} } });
  });
});

describe('a restored memory', () => {
  test('is announced as an update', async () => {
    const { deps, caller } = await testWorld();
    const { webhook } = await createOutboundWebhook(deps, caller, {
      url: 'https://example.com/hook',
      events: ['memory.updated'],
    });
    const { memory } = await ingest(deps, caller, { content: 'x' });
    await deleteMemory(deps, caller, memory.id);

    await restoreMemory(deps, caller, memory.id);
    await restoreMemory(deps, caller, memory.id);

    const told = await deps.store.outbound.listDeliveries(caller.organizationId, { webhookId: webhook.id, limit: 9 });
    expect(told).toMatchObject([{ event: 'memory.updated', memoryId: memory.id }]);
  });
});

describe('deletedRetentionDays', () => {
  test('purges memories that were deleted longer ago, and nothing if it is not set', async () => {
    const clock = { now: 1_772_442_000_000_000 };
    const { deps, caller } = await testWorld({ now: () => clock.now });
    const other = await anotherCaller(deps);
    const find = (of: typeof caller, id: string) => deps.store.memories.findById(of.organizationId, id);
    const ids: string[] = [];
    for (let n = 0; n < 60; n++) {
      const { memory } = await ingest(deps, caller, { content: `old ${n}` });
      await deleteMemory(deps, caller, memory.id);
      ids.push(memory.id);
    }
    const { memory: kept } = await ingest(deps, other, { content: 'kept' });
    await deleteMemory(deps, other, kept.id);
    clock.now += 30 * DAY_US;
    const { memory: young } = await ingest(deps, caller, { content: 'young' });
    await deleteMemory(deps, caller, young.id);
    const { memory: active } = await ingest(deps, caller, { content: 'active' });

    await tendAll(deps);
    expect(await find(caller, ids[0]!)).toBeDefined();
    await updateSettings(deps, caller, { deletedRetentionDays: 30 });
    await tendAll(deps);
    expect(await find(caller, ids[0]!)).toBeDefined();
    clock.now += 60_000_000;
    await tendAll(deps);

    const left = await Promise.all(ids.map((id) => find(caller, id)));
    expect(left.filter((memory) => memory !== undefined)).toEqual([]);
    expect(await find(caller, young.id)).toHaveProperty('deletedAt');
    expect(await find(caller, active.id)).toBeDefined();
    expect(await find(other, kept.id)).toHaveProperty('deletedAt');
    const events = await deps.store.audit.list(caller.organizationId, { actions: ['memory.purge'], limit: 99 });
    expect(events).toHaveLength(60);
    expect(events[0]).toMatchObject({ actor: { type: 'system', id: 'retention' }, source: 'operator' });
  });

  test('is cleared with null', async () => {
    const { deps, caller } = await testWorld();

    await updateSettings(deps, caller, { deletedRetentionDays: 1 });
    expect(await deps.store.accounts.organizationsToTend(deps.now())).toEqual([caller.organizationId]);
    await updateSettings(deps, caller, { semanticDedupe: false });
    expect(await deps.store.accounts.settings(caller.organizationId)).toMatchObject({ deletedRetentionDays: 1 });
    await updateSettings(deps, caller, { deletedRetentionDays: null });

    expect(await deps.store.accounts.settings(caller.organizationId)).not.toHaveProperty('deletedRetentionDays');
    expect(await deps.store.accounts.organizationsToTend(deps.now())).toEqual([]);
  });
});
