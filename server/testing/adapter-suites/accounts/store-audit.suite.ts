import { v7 } from 'uuid';
import { describe, expect, test } from 'vitest';
import { AUDIT_ACTIONS, type AuditEvent, SOURCES } from '../../../domain/account/audit-event.js';
import type { AuditQuery } from '../../../ports/audit-log.js';
import type { Store } from '../../../ports/store.js';
import { anOrganization } from '../../fixtures/memories.js';
import type { StoreOpening } from '../store.suite.js';

const NOON = 1_700_000_000_000_000;

/** Tests the audit log. */
export function auditSuite(name: string, { openEmpty, reopen }: StoreOpening): void {
  describe(`${name}: audit log`, () => {
    test('returns an event as it was recorded, without fields that were not set', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const bare = anEvent({ occurredAt: NOON });
      const full = anEvent({
        occurredAt: NOON + 1,
        actor: { type: 'token', id: v7(), userId: v7() },
        memoryId: v7(),
        requestId: 'request-1',
        batchId: v7(),
        ip: '2001:db8::1',
        userAgent: 'agent/1.0',
        metadata: { outcome: 'merged_metadata', dedupe: 'exact', contentLength: 3, metadataKeys: 0 },
      });

      await record(tested, organizationId, bare, full);

      expect(await list(tested, organizationId)).toEqual([full, bare]);
    });

    test('lists the newest first, and events of one moment by id', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const [a, b, c] = [anEvent({ occurredAt: NOON }), anEvent({ occurredAt: NOON }), anEvent({ occurredAt: 5 })];

      await record(tested, organizationId, b, c, a);

      const [later, earlier] = a.id > b.id ? [a, b] : [b, a];
      expect(await list(tested, organizationId)).toEqual([later, earlier, c]);
    });

    test('loses its oldest events before a time, as many as asked for', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const other = await anOrganization(tested);
      const events = Array.from({ length: 7 }, (_, at) => anEvent({ occurredAt: NOON + at }));
      const [second, first] = [anEvent({ occurredAt: 2 }), anEvent({ occurredAt: 1 })];
      await record(tested, organizationId, second, first, ...events);
      await record(tested, other, anEvent({ occurredAt: 1 }));

      expect(await tested.audit.deleteBefore(organizationId, NOON + 3, 1)).toBe(1);
      expect(await list(tested, organizationId)).toEqual([...events.toReversed(), second]);
      expect(await tested.audit.deleteBefore(organizationId, NOON + 3, 9)).toBe(4);
      expect(await tested.audit.deleteBefore(organizationId, NOON + 3, 9)).toBe(0);
      expect(await tested.audit.deleteBefore('unknown', NOON + 3, 9)).toBe(0);

      expect(await list(tested, organizationId)).toEqual(events.slice(3).toReversed());
      expect(await list(tested, other)).toHaveLength(1);
    });

    test('finds the events of every source and action, by one of them and by both', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const pairs = SOURCES.flatMap((source) => AUDIT_ACTIONS.map((action) => ({ source, action })));
      const events = pairs.map((pair, at) => anEvent({ ...pair, occurredAt: NOON + ((at * 7) % pairs.length) }));
      await record(tested, organizationId, ...events);
      const newest = events.toSorted((a, b) => b.occurredAt - a.occurredAt);

      for (const wanted of SOURCES) {
        const found = await list(tested, organizationId, { source: wanted });
        expect(found).toEqual(newest.filter(({ source }) => source === wanted));
      }
      for (const wanted of AUDIT_ACTIONS) {
        const found = await list(tested, organizationId, { actions: [wanted] });
        expect(found).toEqual(newest.filter(({ action }) => action === wanted));
      }
      const both = { source: 'mcp', actions: ['memory.purge', 'memory.ingest'] } as const;
      expect(await list(tested, organizationId, both)).toEqual(
        newest.filter(({ source, action }) => source === 'mcp' && both.actions.some((wanted) => wanted === action)),
      );
    });

    test('continues after a position without a gap or a repetition', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const events = Array.from({ length: 11 }, (_, at) => anEvent({ occurredAt: NOON + Math.floor(at / 3) }));
      await record(tested, organizationId, ...events);

      const read: AuditEvent[] = [];
      for (;;) {
        const last = read.at(-1);
        const page = await list(tested, organizationId, {
          limit: 4,
          ...(last && { after: { at: last.occurredAt, id: last.id } }),
        });
        read.push(...page);
        if (page.length < 4) break;
      }

      expect(read).toEqual(await list(tested, organizationId));
      expect(read).toHaveLength(11);
    });

    test('filters by action, actor, memory, source and time, and by all of them together', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const [actorId, memoryId] = [v7(), v7()];
      const wanted = {
        action: 'memory.update',
        actor: { type: 'token', id: actorId },
        memoryId,
        source: 'dashboard',
      } as const;
      const events = {
        wanted: anEvent({ ...wanted, occurredAt: NOON + 5 }),
        early: anEvent({ ...wanted, occurredAt: NOON - 1 }),
        late: anEvent({ ...wanted, occurredAt: NOON + 10 }),
        otherAction: anEvent({ ...wanted, action: 'memory.delete', occurredAt: NOON }),
        otherActor: anEvent({ ...wanted, actor: { type: 'token', id: v7() }, occurredAt: NOON }),
        otherMemory: anEvent({ ...wanted, memoryId: v7(), occurredAt: NOON }),
        otherSource: anEvent({ ...wanted, source: 'mcp', occurredAt: NOON }),
      };
      await record(tested, organizationId, ...Object.values(events));

      const without = async (query: Partial<AuditQuery>) => {
        const found = new Set((await list(tested, organizationId, query)).map(({ id }) => id));
        return Object.entries(events).flatMap(([key, { id }]) => (found.has(id) ? [] : [key]));
      };

      expect(await without({ actions: ['memory.update'] })).toEqual(['otherAction']);
      expect(await without({ actorId })).toEqual(['otherActor']);
      expect(await without({ memoryId })).toEqual(['otherMemory']);
      expect(await without({ source: 'dashboard' })).toEqual(['otherSource']);
      expect(await without({ since: NOON })).toEqual(['early']);
      expect(await without({ until: NOON + 10 })).toEqual(['late']);
      const all = {
        actions: ['memory.update'],
        actorId,
        memoryId,
        source: 'dashboard',
        since: NOON,
        until: NOON + 10,
      } as const;
      expect(await list(tested, organizationId, all)).toEqual([events.wanted]);
    });

    test.each([{}, { actorId: 'a' }, { memoryId: 'm' }, { source: 'mcp' }] as const)(
      'lists events of several actions in one order, with the filter %j',
      async (filter) => {
        const tested = await openEmpty();
        const organizationId = await anOrganization(tested);
        const actions = ['memory.purge', 'memory.delete', 'memory.update'] as const;
        const common = { actor: { type: 'token', id: 'a' }, memoryId: 'm', source: 'mcp' } as const;
        const events = Array.from({ length: 9 }, (_, at) =>
          anEvent({ ...common, action: actions[at % 3]!, occurredAt: NOON - at }),
        );
        await record(tested, organizationId, ...events);

        const query = { ...filter, actions: ['memory.delete', 'memory.purge', 'memory.delete'], limit: 4 } as const;
        const first = await list(tested, organizationId, query);
        const last = first.at(-1)!;
        const next = await list(tested, organizationId, { ...query, after: { at: last.occurredAt, id: last.id } });

        expect([...first, ...next]).toEqual(events.filter(({ action }) => action !== 'memory.update'));
      },
    );

    test('lists many events in order with each filter, whether units recorded few or many of them', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const [memoryId, batchId, actor] = [v7(), v7(), { type: 'token', id: v7() } as const];
      const kinds = [
        {},
        { memoryId },
        { batchId, memoryId },
        { actor },
        { source: 'mcp' },
        { action: 'memory.purge' },
      ] as const;
      const events = Array.from({ length: 160 }, (_, at) =>
        anEvent({ ...kinds[at % kinds.length], occurredAt: NOON + ((at * 7) % 50) }),
      );
      for (let from = 0, count = 1; from < events.length; from += count, count = (count % 5) + 1) {
        await record(tested, organizationId, ...events.slice(from, from + count));
      }
      const newest = events.toSorted((a, b) => b.occurredAt - a.occurredAt || (a.id > b.id ? -1 : 1));

      const matching: readonly [Partial<AuditQuery>, (event: AuditEvent) => boolean][] = [
        [{}, () => true],
        [{ memoryId }, (event) => event.memoryId === memoryId],
        [{ actorId: actor.id }, (event) => event.actor.id === actor.id],
        [{ source: 'mcp' }, ({ source }) => source === 'mcp'],
        [{ actions: ['memory.purge', 'memory.delete'] }, ({ action }) => action === 'memory.purge'],
        [{ memoryId, since: NOON + 9, until: NOON + 30 }, (event) => event.memoryId === memoryId && isIn(event, 9, 30)],
      ];
      for (const [query, matches] of matching) {
        const wanted = newest.filter(matches);
        expect(await list(tested, organizationId, { ...query, limit: 200 })).toEqual(wanted);
        const last = wanted[8]!;
        const after = { at: last.occurredAt, id: last.id };
        expect(await list(tested, organizationId, { ...query, after, limit: 7 })).toEqual(wanted.slice(9, 16));
      }
    });

    test('loses the metadata of all events of an erased memory', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const memoryId = v7();
      const kinds = [{ memoryId }, { memoryId, batchId: v7() }, { memoryId: v7() }];
      const events = Array.from({ length: 99 }, (_, at) =>
        anEvent({ ...kinds[at % 3], occurredAt: NOON - at, metadata: { contentLength: at } }),
      );
      await record(tested, organizationId, ...events);

      const emptied = await tested.transact(organizationId, (unit) => unit.erasures.emptyAuditMetadata(memoryId));

      expect(emptied).toBe(66);
      const kept = events.map((event) => (event.memoryId === memoryId ? { ...event, metadata: {} } : event));
      expect(await list(tested, organizationId)).toEqual(kept);
    });

    test('shows an organization only its own events', async () => {
      const tested = await openEmpty();
      const [own, other] = [await anOrganization(tested), await anOrganization(tested)];
      const memoryId = v7();
      const event = anEvent({ memoryId });
      await record(tested, own, event);

      expect(await list(tested, other, { memoryId })).toEqual([]);
      expect(await list(tested, v7())).toEqual([]);
      expect(await list(tested, 'no uuid')).toEqual([]);
    });

    test('keeps no event of a unit that failed', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);

      const failing = tested.transact(organizationId, async (unit) => {
        await unit.recordAudit(anEvent());
        throw new Error('on purpose');
      });

      await expect(failing).rejects.toThrow('on purpose');
      expect(await list(tested, organizationId)).toEqual([]);
    });

    test.runIf(reopen)('keeps every event across a restart', async () => {
      const first = await openEmpty();
      const organizationId = await anOrganization(first);
      const event = anEvent();
      await record(first, organizationId, event);

      const tested = await reopen!(first);

      expect(await list(tested, organizationId)).toEqual([event]);
    });
  });
}

function isIn({ occurredAt }: AuditEvent, from: number, before: number): boolean {
  return occurredAt >= NOON + from && occurredAt < NOON + before;
}

function anEvent(given: Partial<AuditEvent> = {}): AuditEvent {
  return {
    id: v7(),
    occurredAt: NOON,
    action: 'memory.ingest',
    actor: { type: 'system', id: 'test' },
    source: 'rest',
    metadata: {},
    ...given,
  };
}

async function record(tested: Store, organizationId: string, ...events: readonly AuditEvent[]): Promise<void> {
  await tested.transact(organizationId, async (unit) => {
    for (const event of events) await unit.recordAudit(event);
  });
}

function list(tested: Store, organizationId: string, query: Partial<AuditQuery> = {}): Promise<AuditEvent[]> {
  return tested.audit.list(organizationId, { limit: 100, ...query });
}
