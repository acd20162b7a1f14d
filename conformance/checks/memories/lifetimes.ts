import { expect } from 'vitest';
import type { Answer, MemoryRecord } from '../../transport/answer.js';
import type { Target } from '../../world/target.js';
import { defineChecks } from '../check.js';
import { expectRefusal, expectTimestamp } from '../matchers.js';

const UNKNOWN = '00000000-0000-7000-8000-000000000000';

const LATER = '2222-01-01T00:00:00.000Z';
/** Long enough for a clock of the deployment that is a little ahead. */
const EXPIRY_MS = 1_500;

function restore(target: Target, id: string): Promise<Answer> {
  return target.send('POST', `/api/memories/${id}/restore`);
}

function purge(target: Target, id: string): Promise<Answer> {
  return target.send('POST', `/api/memories/${id}/purge`);
}

/** Returns the entry of one memory in the feed. A filter would hide purged memories. */
async function changeOf(target: Target, { id, createdAt }: MemoryRecord): Promise<MemoryRecord | undefined> {
  const pages = await target.pages('changes', { since: createdAt, includeDeleted: true });
  return pages.flatMap(({ memories }) => memories).find((entry) => entry.id === id);
}

/** Expiry, restore and purge of memories. */
export const lifetimeChecks = defineChecks('4.6', [
  {
    id: 'restore-brings-back',
    level: 'should',
    requirement: 'A restored memory is active again, with the id, content, metadata and key that it had.',
    async run(target) {
      const { id, content, metadata, externalKey } = await target.storedByKey();
      await target.delete(id);

      const restored = await restore(target, id);

      expect(restored.status).toBe(200);
      expect(restored.body).toMatchObject({ id, content, metadata, externalKey });
      expect((await target.get(id)).body).toEqual(restored.body);
      expect(restored.body).not.toHaveProperty('deletedAt');
    },
  },
  {
    id: 'restore-is-a-change',
    level: 'should',
    requirement: 'A restored memory is a change of the kind updated.',
    async run(target) {
      const memory = await target.deleted();
      await restore(target, memory.id);

      expect(await changeOf(target, memory)).toMatchObject({ change: 'updated' });
    },
  },
  {
    id: 'restore-conflict-409',
    level: 'should',
    requirement: 'If another memory now has the content or the key, a restore gets 409 and the id of that memory.',
    async run(target) {
      const [byContent, byKey] = [await target.deleted(), await target.storedByKey()];
      await target.delete(byKey.id);
      const sameContent = await target.stored({ content: byContent.content });
      const sameKey = await target.stored({ externalKey: byKey.externalKey ?? '' });

      const content = await restore(target, byContent.id);
      const key = await restore(target, byKey.id);

      expectRefusal(content, 409, 'content_conflict');
      expect(content.body.id).toBe(sameContent.id);
      expectRefusal(key, 409, 'external_key_conflict');
      expect(key.body.id).toBe(sameKey.id);
    },
  },
  {
    id: 'restore-unknown-404',
    level: 'should',
    requirement: 'Restoring or purging an unknown id gets 404.',
    async run(target) {
      expectRefusal(await restore(target, UNKNOWN), 404);
      expectRefusal(await purge(target, UNKNOWN), 404);
    },
  },
  {
    id: 'purge-removes',
    level: 'should',
    requirement: 'A purged memory is in no read, and cannot be restored.',
    async run(target) {
      const project = target.word();
      const { id } = await target.deleted({ metadata: { project } });

      const purged = await purge(target, id);

      expect(purged.status).toBe(204);
      expectRefusal(await target.get(id, { includeDeleted: true }), 404);
      expectRefusal(await restore(target, id), 404);
      const listed = await target.read('export', { filter: { project }, includeDeleted: true });
      expect(listed.memories).toEqual([]);
    },
  },
  {
    id: 'purge-leaves-a-tombstone',
    level: 'should',
    requirement: 'The feed keeps a purged memory as deleted, with only its id and purgedAt.',
    async run(target) {
      const memory = await target.deleted();
      await purge(target, memory.id);

      const entry: object = (await changeOf(target, memory)) ?? {};

      expect(entry).toMatchObject({ id: memory.id, change: 'deleted' });
      expectTimestamp(Reflect.get(entry, 'purgedAt'));
      expect(entry).not.toHaveProperty('content');
      expect(entry).not.toHaveProperty('metadata');
    },
  },
  {
    id: 'purge-active-409',
    level: 'should',
    requirement: 'An active memory is not purged but rejected with 409.',
    async run(target) {
      const { id } = await target.stored();

      expectRefusal(await purge(target, id), 409, 'memory_active');
      expect((await target.get(id)).status).toBe(200);
    },
  },
  {
    id: 'upsert-deleted-names-memory',
    level: 'should',
    requirement: 'The 404 of a key that belongs to a soft-deleted memory names it in X-Deleted-Memory-Id.',
    needs: ['response-headers'],
    async run(target) {
      const { id, externalKey = '' } = await target.storedByKey();
      await target.delete(id);

      const answer = await target.upsert({ externalKey });

      expectRefusal(answer, 404);
      expect(answer.headers.get('x-deleted-memory-id')).toBe(id);
    },
  },
  {
    id: 'expiry-is-kept',
    level: 'should',
    requirement: 'A write accepts expiresAt, and an update with null removes it.',
    async run(target) {
      const stored = await target.send('POST', '/api/memories', { ...target.fields(), expiresAt: LATER });
      const id = String(stored.body.id);

      expect(stored.status).toBe(201);
      expect(Date.parse(String((await target.get(id)).body.expiresAt))).toBe(Date.parse(LATER));
      const cleared = await target.patch(id, { expiresAt: null });
      expect(cleared.status).toBe(200);
      expect(cleared.body).not.toHaveProperty('expiresAt');
    },
  },
  {
    id: 'expiry-deletes',
    level: 'should',
    requirement: 'From expiresAt on a memory is in reads only as deleted.',
    async run(target) {
      const project = target.word();
      const memory = await target.stored({ metadata: { project } });
      const { id } = memory;
      await target.patch(id, { expiresAt: new Date(Date.now() + EXPIRY_MS).toISOString() });

      await target.eventually(async () => ((await target.get(id)).status === 404 ? true : undefined), 'the expiry');

      expect((await target.read('recent', { filter: { project } })).ids).toEqual([]);
      expect(await changeOf(target, memory)).toMatchObject({ change: 'deleted' });
    },
  },
  {
    id: 'expiry-in-the-past-422',
    level: 'should',
    requirement: 'A time that has passed is rejected with 422.',
    async run(target) {
      const refused = await target.send('POST', '/api/memories', { ...target.fields(), expiresAt: '2020-01-01' });

      expectRefusal(refused, 422, 'validation_failed');
    },
  },
]);
