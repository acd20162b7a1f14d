import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Filter } from '../../domain/filter.js';
import { NO_SCOPE } from '../../domain/memory.js';
import type { AuditQuery } from '../../ports/audit-log.js';
import type { Store, UnitOfWork } from '../../ports/store.js';
import { aMember, anApiToken, anInvitation, aSession } from '../../testing/accounts.js';
import { anInboundDelivery, anInboundWebhook } from '../../testing/inbound/records.js';
import { anOrganization, change, indexedBy, NORTH, softDelete, store } from '../../testing/memories.js';
import { Connection } from './connection.js';
import { openSqliteStore, type SqliteStore } from './store.js';

const TABLES =
  /SCAN (?:\w+ )?(memories|m|facets|f|g|vectors|v|audit_events|usage|subscriptions|billing_events|api_tokens|t|memberships|users|u|sessions|invitations|i|jobs|inbound_webhooks|w|inbound_deliveries)\b/;
const FILTERS: Filter[] = [
  { metadata: [] },
  { metadata: [{ key: 'kind', anyOf: ['a'] }] },
  { metadata: [{ key: 'kind', anyOf: ['a', 'b'] }] },
  { subjectKey: 1, externalKey: 'k', metadata: [{ key: 'kind', anyOf: ['a', 'b'] }] },
];

describe('the statements of requests', () => {
  test('read no table from end to end', async () => {
    const run = vi.spyOn(Connection.prototype, 'run');
    const get = vi.spyOn(Connection.prototype, 'get');
    const all = vi.spyOn(Connection.prototype, 'all');
    onTestFinished(() => {
      vi.restoreAllMocks();
    });
    const dataDir = mkdtempSync(join(tmpdir(), 'memory-plans-'));
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));

    await useEverything(dataDir);

    const statements = new Set([run, get, all].flatMap(({ mock }) => mock.calls.map(([sql]) => sql)));
    const connection = new Connection(join(dataDir, 'memory.db'), { readOnly: true });
    onTestFinished(() => connection.close());
    const explained = [...statements].filter((sql) => /^\s*(SELECT|UPDATE|DELETE|INSERT)/.test(sql));
    const scans = explained.flatMap((sql) => {
      const plan = connection.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).map(({ detail }) => detail);
      return plan
        .filter((detail) => TABLES.test(detail) && !detail.includes(' USING '))
        .map((detail) => ({ sql, detail }));
    });
    expect(explained.length).toBeGreaterThan(40);
    expect(scans).toEqual([]);
  });

  test('sort nothing that an index has in order', async () => {
    const all = vi.spyOn(Connection.prototype, 'all');
    onTestFinished(() => {
      vi.restoreAllMocks();
    });
    const dataDir = mkdtempSync(join(tmpdir(), 'memory-plans-'));
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
    const opened = await openSqliteStore({ dataDir });
    const organizationId = await anOrganization(opened);
    const [, memory] = await store(opened, organizationId, { metadata: { kind: 'a' } }, { metadata: { kind: 'a' } });
    all.mockClear();

    for (const filter of FILTERS.slice(0, 2)) {
      for (const order of ['oldest', 'newest'] as const) {
        const after = { at: memory!.createdAt - 1, id: memory!.id };
        await opened.memories.list(organizationId, { filter, includeDeleted: false, order, after, limit: 20 });
      }
    }
    await opened[Symbol.asyncDispose]();

    const connection = new Connection(join(dataDir, 'memory.db'), { readOnly: true });
    onTestFinished(() => connection.close());
    const plans = all.mock.calls.map(([sql]) =>
      connection.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).map(({ detail }) => detail),
    );
    expect(plans).toHaveLength(4);
    expect(plans.flat().filter((detail) => detail.includes('TEMP B-TREE'))).toEqual([]);
  });

  test('read the audit log in the order of the index of each filter', async () => {
    const all = vi.spyOn(Connection.prototype, 'all');
    onTestFinished(() => {
      vi.restoreAllMocks();
    });
    const dataDir = mkdtempSync(join(tmpdir(), 'memory-plans-'));
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
    const opened = await openSqliteStore({ dataDir });
    const organizationId = await anOrganization(opened);
    all.mockClear();

    for (const query of auditQueries()) await opened.audit.list(organizationId, query);
    await opened[Symbol.asyncDispose]();

    const connection = new Connection(join(dataDir, 'memory.db'), { readOnly: true });
    onTestFinished(() => connection.close());
    const plans = all.mock.calls.map(([sql]) =>
      connection.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).map(({ detail }) => detail),
    );
    expect(plans).toHaveLength(16);
    expect(plans.filter((details) => details.length !== 1 || !details[0]?.startsWith('SEARCH'))).toEqual([]);
  });
});

/** Each combination of filters of the audit log, on its first page and on a later one. */
function auditQueries(): AuditQuery[] {
  const after = { at: 5, id: 'x' };
  const filters = [{}, { action: 'memory.delete' }, { actorId: 'a' }, { memoryId: 'm' }] as const;
  return filters
    .flatMap((filter) => [filter, { ...filter, since: 1, until: 9 }])
    .flatMap((filter) => [
      { ...filter, limit: 9 },
      { ...filter, after, limit: 9 },
    ]);
}

async function recordEvents(unit: UnitOfWork): Promise<void> {
  const actor = { type: 'system', id: 'a' } as const;
  await unit.recordAudit({
    id: 'x',
    occurredAt: 1,
    action: 'memory.delete',
    actor,
    memoryId: 'm',
    source: 'rest',
    metadata: {},
  });
}

/** Every kind of write and read once. */
async function useEverything(dataDir: string): Promise<void> {
  const opened = await openSqliteStore({ dataDir });
  const organizationId = await anOrganization(opened);
  const [first, second] = await store(
    opened,
    organizationId,
    { metadata: { kind: 'a' }, subjectKey: 1, externalKey: 'k' },
    { metadata: { kind: 'b' } },
  );
  await change(opened, first!, { content: 'other', metadata: { kind: 'c' } }, NORTH);
  await softDelete(opened, second!);
  await opened.transact(organizationId, async (unit) => {
    await unit.findByExternalKey('k', NO_SCOPE);
    await unit.findActiveByWords(1, indexedBy(first!).wordsHash, 5);
    await unit.similarityOf(first!.id, NORTH);
    await unit.anySubjectKey();
    await unit.replaceEmbedding(first!.id, NORTH, 'other|x|8');
    await unit.countIngest('2024-05', 1, 9);
    await unit.subscriptions.recordEvent('x');
    await unit.subscriptions.all();
    await recordEvents(unit);
  });
  for (const filter of FILTERS) {
    for (const includeDeleted of [false, true]) {
      const scope = { filter, includeDeleted };
      const after = { at: first!.createdAt, id: first!.id };
      for (const order of ['oldest', 'newest', 'changed'] as const) {
        await opened.memories.list(organizationId, { ...scope, order, limit: 9 });
        await opened.memories.list(organizationId, { ...scope, order, limit: 9, after, since: after.at });
      }
      await opened.memories.stats(organizationId, { ...scope, facets: ['kind'], valuesPerFacet: 9 });
      await opened.memories.nearest(organizationId, { ...scope, vector: NORTH, limit: 9, ids: [first!.id] });
      const recency = { weight: 0.5, halflifeDays: 1, now: first!.createdAt };
      await opened.memories.nearest(organizationId, { ...scope, vector: NORTH, limit: 9, recency });
      await opened.memories.matching(organizationId, { ...scope, text: 'memory other', limit: 9 });
    }
  }
  await opened.memories.findById(organizationId, first!.id);
  await opened.memories.findActiveByContent(organizationId, 1, indexedBy(first!).contentHash);
  await opened.memories.findEmbeddedOtherwise(organizationId, 'other|x|8', 9);
  await opened.usage.read(organizationId, '2024-05');
  await opened.subscriptions.of(organizationId);
  for (const query of auditQueries()) await opened.audit.list(organizationId, query);
  await opened.accounts.findTokenByDigest('x');
  await opened.accounts.findRole(organizationId, 'x');
  await opened.accounts.organizationIdsOf('x');
  await useAccounts(opened, organizationId);
  await useInbound(opened, organizationId);
  await useJobs(opened, organizationId);
  await opened[Symbol.asyncDispose]();
}

async function useInbound(opened: Store, organizationId: string): Promise<void> {
  const webhook = anInboundWebhook(organizationId);
  const delivery = anInboundDelivery(webhook);
  await opened.transact(organizationId, async ({ inbound }) => {
    await inbound.insertWebhook(webhook);
    await inbound.updateWebhook(webhook);
    await inbound.findWebhook(webhook.id);
    await inbound.countWebhooks();
    await inbound.insertDelivery(delivery);
    await inbound.updateDelivery(delivery);
    await inbound.findRepeated(webhook.id, delivery.deliveryId, delivery.bodyHash);
    await inbound.hasQueued(webhook.id, 5);
    await inbound.forgetDeliveries(webhook.id, delivery.receivedAt, 5);
    await inbound.deleteDelivery(delivery.key);
  });
  const page = { limit: 9, after: { at: 0, id: '' } };
  await opened.inbound.findWebhook(webhook.id);
  await opened.inbound.listWebhooks(organizationId, page);
  await opened.inbound.listDeliveries(organizationId, webhook.id, page);
  await opened.inbound.findDelivery(organizationId, delivery.key);
  await opened.transact(organizationId, (unit) => unit.inbound.deleteWebhook(webhook.id));
}

async function useJobs(opened: SqliteStore, organizationId: string): Promise<void> {
  const data = { organizationId, deliveryKey: 'd' };
  await opened.transact(organizationId, (unit) => unit.enqueue({ name: 'ingest-delivery', data }));
  const { repository } = opened.jobs;
  const [soon, longAgo] = [new Date(Date.now() + 60_000), new Date(0)];
  const job = await repository.getNextJobToRun('ingest-delivery', soon, longAgo, undefined, undefined);
  await repository.saveJobState(job!, undefined);
  await repository.unlockJob(job!);
  await repository.unlockJobs([job!._id!]);
}

async function useAccounts(opened: Store, organizationId: string): Promise<void> {
  const { accounts } = opened;
  const page = { limit: 9, after: { at: 0, id: '' } };
  const user = await aMember(opened, organizationId);
  const token = anApiToken({ organizationId, userId: user.id });
  const invitation = anInvitation({ organizationId, invitedBy: user.id });
  await opened.transact(organizationId, async (unit) => {
    await unit.accounts.countOwners();
    await unit.accounts.insertToken(token);
    await unit.accounts.findToken(token.id);
    await unit.accounts.revokeToken(token.id, 1);
    await unit.accounts.insertInvitation(invitation);
    await unit.accounts.findInvitation(invitation.id);
    await unit.accounts.revokeInvitationsTo(invitation.email, 1);
    await unit.accounts.revokeInvitation(invitation.id, 1);
    await unit.accounts.acceptInvitation(invitation.id, 1);
    await unit.accounts.changeRole(user.id, 'readonly');
    await unit.accounts.removeMember(user.id, 1);
  });
  await accounts.findUserByEmail(user.email);
  await accounts.membershipsOf(user.id);
  await accounts.listMembers(organizationId, page);
  await accounts.listTokens(organizationId, { ...page, userId: user.id });
  await accounts.listTokens(organizationId, { limit: 9 });
  await accounts.listInvitations(organizationId, page);
  await accounts.findInvitationByDigest(invitation.digest);
  const session = aSession(user.id);
  await accounts.createSession(session);
  await accounts.findSession(session.digest);
  await accounts.touchSession(session.digest, 1);
  await accounts.setPassword(user.id, 'hash', session.digest);
  await accounts.deleteSession(session.digest);
  accounts.noteTokenUse(token.id, 1);
}
