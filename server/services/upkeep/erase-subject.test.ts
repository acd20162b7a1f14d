import { describe, expect, test } from 'vitest';
import type { Deps } from '../../deps.js';
import type { Caller } from '../../domain/account/caller.js';
import { extendDigest, FIRST_DIGEST } from '../../domain/memory/erasure.js';
import { UnavailableError } from '../../errors.js';
import { StoreUnavailableError } from '../../ports/store-errors.js';
import { testWorld } from '../../testing/app/test-deps.js';
import { askForErasure, ERASED, waitingContents, writeAboutSubject } from '../../testing/fixtures/erased-subject.js';
import { restoreVersion } from '../reading/versions.js';
import { deleteMemory } from '../removal/delete.js';
import { getErasure, requestErasure } from '../removal/erasures.js';
import { restoreMemory } from '../removal/restore.js';
import { ingestBatch } from '../writing/batch.js';
import { ingest } from '../writing/ingest.js';
import { updateMemory } from '../writing/update.js';
import { upsert } from '../writing/upsert.js';
import { failErasure, goOnErasing } from './erase-subject.js';

async function erased(deps: Deps, caller: Caller) {
  return toItsEnd(deps, caller, await askForErasure(deps, caller));
}

async function toItsEnd(deps: Deps, caller: Caller, id: string) {
  while (await goOnErasing(deps, caller.organizationId, id));
  return getErasure(deps, caller, id);
}

describe('an erasure', () => {
  test('removes everything about the subject, and nothing else', async () => {
    const { deps, caller } = await testWorld();
    const { organizationId } = caller;
    const written = await writeAboutSubject(deps, caller);

    await erased(deps, caller);

    const { store } = deps;
    for (const id of written.aboutSubject) {
      expect(await store.memories.findById(organizationId, id)).toBeUndefined();
      expect(await store.versions.list(organizationId, id, { limit: 9 })).toEqual([]);
      const events = await store.audit.list(organizationId, { memoryId: id, limit: 9 });
      expect(events.length).toBeGreaterThan(0);
      expect(events.map(({ metadata }) => metadata)).toEqual(events.map(() => ({})));
    }
    expect(await store.memories.findById(organizationId, written.moved)).toMatchObject({ subjectKey: 'ben' });
    expect(await store.versions.list(organizationId, written.moved, { limit: 9 })).toEqual([]);
    expect(await store.memories.findById(organizationId, written.other)).toMatchObject({ metadata: { kind: 'kept' } });
    expect(await waitingContents(deps, organizationId, written.deliveryKey)).toEqual(['another issue']);
  });

  test('ends with a receipt that counts the removals and does not name the subject', async () => {
    const { deps, caller } = await testWorld();
    const { aboutSubject } = await writeAboutSubject(deps, caller);

    const receipt = await erased(deps, caller);

    expect(receipt).toEqual({
      id: receipt.id,
      status: 'done',
      requestedAt: expect.any(Number),
      finishedAt: expect.any(Number),
      counts: { memories: 3, versions: 2, deliveries: 7, auditEvents: 4, inboundMemories: 1 },
      digest: aboutSubject.reduce(extendDigest, FIRST_DIGEST),
    });
    expect(await deps.store.accounts.settings(caller.organizationId)).not.toHaveProperty('erasing');
  });

  test('leaves the id of each memory in the change feed', async () => {
    const { deps, caller } = await testWorld();
    const { aboutSubject } = await writeAboutSubject(deps, caller);

    await erased(deps, caller);

    const query = { filter: { metadata: [] }, includeDeleted: true, order: 'changed', limit: 99 } as const;
    const listed = await deps.store.memories.list(caller.organizationId, query);
    const purged = listed.filter(({ purgedAt }) => purgedAt !== undefined);
    expect(purged.map(({ id }) => id)).toEqual(aboutSubject);
    expect(purged.map(({ content, metadata }) => [content, metadata])).toEqual(aboutSubject.map(() => ['', {}]));
  });

  test('sends the deletion to endpoints, without metadata', async () => {
    const { deps, caller } = await testWorld();
    const { aboutSubject } = await writeAboutSubject(deps, caller);

    await erased(deps, caller);

    const { store } = deps;
    const [webhook] = await store.outbound.listWebhooks(caller.organizationId, { limit: 1 });
    const query = { webhookId: webhook!.id, limit: 99 };
    const deliveries = await store.outbound.listDeliveries(caller.organizationId, query);
    const told = deliveries.filter(({ memoryId = '' }) => aboutSubject.includes(memoryId));
    expect(told.map(({ memoryId }) => memoryId).toSorted()).toEqual(aboutSubject.toSorted());
    for (const { id, event } of told) {
      const delivery = await store.outbound.findDelivery(caller.organizationId, id);
      expect(event).toBe('memory.deleted');
      expect(JSON.parse(delivery!.body).payload.metadata).toEqual({});
    }
  });
});

describe('while a subject is being erased', () => {
  test('every write about it is rejected, and nothing else is', async () => {
    const { deps, caller } = await testWorld();
    const { aboutSubject, moved, other } = await writeAboutSubject(deps, caller);
    await askForErasure(deps, caller);
    const [changed = '', deleted = '', keyed = ''] = aboutSubject;
    const refused: (() => Promise<unknown>)[] = [
      () => ingest(deps, caller, { content: 'new', subjectKey: ERASED }),
      () => ingest(deps, caller, { content: 'zqxcontent keyed', externalKey: 'issue-7' }),
      () => upsert(deps, caller, { externalKey: 'issue-7', content: 'new' }),
      () => upsert(deps, caller, { externalKey: 'issue-9', content: 'new', subjectKey: ERASED }),
      () => updateMemory(deps, caller, changed, { metadata: { a: 1 } }),
      () => updateMemory(deps, caller, keyed, { subjectKey: 'ben' }),
      () => updateMemory(deps, caller, other, { subjectKey: ERASED }),
      () => restoreMemory(deps, caller, deleted),
      () => restoreVersion(deps, caller, changed, '1'),
      () => restoreVersion(deps, caller, moved, '1'),
    ];

    for (const write of refused) await expect(write(), String(write)).rejects.toThrow(UnavailableError);
    const batch = await ingestBatch(
      deps,
      caller,
      [{ input: { content: 'new', subjectKey: ERASED } }, { input: { content: 'newer', subjectKey: 'ben' } }],
      true,
    );
    expect(batch).toMatchObject([{ error: { code: 'service_unavailable' } }, { written: { outcome: 'created' } }]);
    await deleteMemory(deps, caller, changed);
    await updateMemory(deps, caller, other, { subjectKey: 'ben' });
  });

  test('a second request returns the same erasure, and a new one after it has ended', async () => {
    const { deps, caller } = await testWorld();
    await writeAboutSubject(deps, caller);

    const first = await askForErasure(deps, caller);
    const second = await askForErasure(deps, caller);
    await toItsEnd(deps, caller, first);
    const stored = await ingest(deps, caller, { content: 'new', subjectKey: ERASED });
    const third = await requestErasure(deps, caller, ERASED);

    expect(second).toBe(first);
    expect(stored.outcome).toBe('created');
    expect(third).toMatchObject({ status: 'running', counts: { memories: 0 } });
    expect(third.id).not.toBe(first);
  });
});

describe('an erasure that is interrupted', () => {
  test('resumes and completes, whichever unit of work it stopped after', async () => {
    for (let units = 0; units < 6; units += 1) {
      const { deps, caller } = await testWorld();
      const { aboutSubject } = await writeAboutSubject(deps, caller);
      const id = await askForErasure(deps, caller);
      const cut = { ...deps, store: endingAfter(deps.store, units) };

      const interrupted = goOnErasing(cut, caller.organizationId, id);
      await expect(interrupted, `after ${units} units`).rejects.toThrow(StoreUnavailableError);

      expect(await toItsEnd(deps, caller, id)).toMatchObject({
        status: 'done',
        counts: { memories: 3, versions: 2, inboundMemories: 1 },
        digest: aboutSubject.reduce(extendDigest, FIRST_DIGEST),
      });
    }
  });

  test('can be started again after it was given up', async () => {
    const { deps, caller } = await testWorld();
    await writeAboutSubject(deps, caller);
    const id = await askForErasure(deps, caller);

    await failErasure(deps, caller.organizationId, id);
    await ingest(deps, caller, { content: 'new', subjectKey: ERASED });
    const receipt = await erased(deps, caller);

    const failed = await getErasure(deps, caller, id);
    expect(failed.status).toBe('failed');
    expect(failed).not.toHaveProperty('subjectKey');
    expect(receipt).toMatchObject({ status: 'done', counts: { memories: 4 } });
  });
});

/** Returns the store, which becomes unreachable after `units` units of work. */
function endingAfter(store: Deps['store'], units: number): Deps['store'] {
  let left = units;
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      if (name !== 'transact') return member.bind(target);
      return async (...given: unknown[]) => {
        if (left === 0) throw new StoreUnavailableError('the test took the store down');
        left -= 1;
        return member.apply(target, given);
      };
    },
  });
}
