import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Store } from '../../ports/store.js';
import { anOrganization } from '../../testing/memories.js';
import { Connection } from './connection.js';
import { openSqliteStore } from './store.js';

test('the statements of outbound webhooks go by an index and sort nothing', async () => {
  const spies = (['run', 'get', 'all'] as const).map((method) => vi.spyOn(Connection.prototype, method));
  onTestFinished(() => {
    vi.restoreAllMocks();
  });
  const dataDir = mkdtempSync(join(tmpdir(), 'memory-plans-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const opened = await openSqliteStore({ dataDir });
  onTestFinished(() => opened[Symbol.asyncDispose]());
  const organizationId = await anOrganization(opened);

  await useOutbound(opened, organizationId);

  const statements = new Set(spies.flatMap(({ mock }) => mock.calls.map(([sql]) => sql)));
  const connection = new Connection(join(dataDir, 'memory.db'), { readOnly: true });
  onTestFinished(() => connection.close());
  const outbound = [...statements].filter((sql) => /FROM outbound_|UPDATE outbound_/.test(sql));
  const details = outbound.flatMap((sql) =>
    connection.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).map(({ detail }) => detail),
  );
  expect(outbound).toHaveLength(14);
  expect(details.filter((detail) => /^SCAN|TEMP B-TREE/.test(detail))).toEqual([]);
});

async function useOutbound(opened: Store, organizationId: string): Promise<void> {
  const { outbound } = opened;
  const webhook = {
    id: 'w',
    url: 'https://example.com/',
    events: ['memory.ingested'] as const,
    description: '',
    secret: 's',
    createdAt: 1,
    updatedAt: 1,
  };
  const delivery = {
    id: 'd',
    webhookId: 'w',
    event: 'memory.ingested',
    memoryId: 'm',
    body: '{}',
    status: 'pending',
    attempts: 0,
    createdAt: 1,
  } as const;
  await opened.transact(organizationId, async (unit) => {
    await unit.outbound.insertWebhook(webhook);
    await unit.outbound.updateWebhook(webhook);
    await unit.outbound.webhooks();
    await unit.outbound.insertDelivery(delivery);
    await unit.outbound.updateDelivery(delivery);
    await unit.outbound.findDelivery('d');
    await unit.outbound.deleteDeliveries(9, 9);
  });
  const after = { at: 1, id: 'x' };
  await outbound.findWebhook(organizationId, 'w');
  await outbound.listWebhooks(organizationId, { limit: 9 });
  await outbound.listWebhooks(organizationId, { limit: 9, after });
  await outbound.findDelivery(organizationId, 'd');
  for (const status of [undefined, 'pending'] as const) {
    await outbound.listDeliveries(organizationId, { webhookId: 'w', status, limit: 9 });
    await outbound.listDeliveries(organizationId, { webhookId: 'w', status, limit: 9, after });
  }
  await opened.transact(organizationId, (unit) => unit.outbound.deleteWebhook('w'));
}
