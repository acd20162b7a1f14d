import { join } from 'node:path';
import { v7 } from 'uuid';
import { expect, onTestFinished, test } from 'vitest';
import type { AuditEvent } from '../../../domain/account/audit-event.js';
import { anOrganization } from '../../../testing/fixtures/memories.js';
import { quickFolder } from '../../../testing/processes/quick-folder.js';
import { Connection } from '../engine/connection.js';
import { DATABASE_FILE } from '../engine/database.js';
import type { SqliteStore } from '../sqlite-store.js';
import { openSqliteStore } from '../store.js';

test('the backlog stays short, over restarts and units that fail, and no event is lost', async () => {
  const dataDir = quickFolder();
  let opened = await openStore(dataDir);
  const organizationId = await anOrganization(opened);
  const events: AuditEvent[] = [];
  const lengths: number[] = [];
  for (let n = 0; n < 200; n += 1) {
    const event = anEvent(n);
    events.unshift(event);
    await opened.transact(organizationId, (unit) => unit.recordAudit(event));
    if (n % 7 === 0) await failAfter(opened, organizationId, anEvent(n));
    if (n % 90 === 50) {
      await opened[Symbol.asyncDispose]();
      opened = await openStore(dataDir);
    }
    lengths.push(countRows(dataDir, 'audit_backlog'));
  }

  expect(Math.max(...lengths)).toBe(64);
  expect(countRows(dataDir, 'audit_events')).toBe(192);
  expect(await opened.audit.list(organizationId, { limit: 300 })).toEqual(events);
});

test('the events of a batch are indexed immediately', async () => {
  const dataDir = quickFolder();
  const opened = await openStore(dataDir);
  const organizationId = await anOrganization(opened);
  const [single, ofBatch] = [anEvent(1), { ...anEvent(2), batchId: v7() }];

  await opened.transact(organizationId, async (unit) => {
    await unit.recordAudit(single);
    await unit.recordAudit(ofBatch);
  });

  expect([countRows(dataDir, 'audit_backlog'), countRows(dataDir, 'audit_events')]).toEqual([1, 1]);
  expect(await opened.audit.list(organizationId, { limit: 9 })).toEqual([ofBatch, single]);
});

function anEvent(occurredAt: number): AuditEvent {
  const actor = { type: 'system', id: 'test' } as const;
  return { id: v7(), occurredAt, action: 'memory.ingest', actor, source: 'rest', metadata: {} };
}

async function failAfter(opened: SqliteStore, organizationId: string, event: AuditEvent): Promise<void> {
  const failing = opened.transact(organizationId, async (unit) => {
    await unit.recordAudit(event);
    throw new Error('on purpose');
  });
  await expect(failing).rejects.toThrow('on purpose');
}

async function openStore(dataDir: string): Promise<SqliteStore> {
  const opened = await openSqliteStore({ dataDir });
  onTestFinished(() => opened[Symbol.asyncDispose]());
  return opened;
}

function countRows(dataDir: string, table: string): number {
  const reader = new Connection(join(dataDir, DATABASE_FILE), { readOnly: true });
  const row = reader.get<{ count: number }>(`SELECT count(*) AS count FROM ${table}`);
  reader.close();
  return row?.count ?? 0;
}
