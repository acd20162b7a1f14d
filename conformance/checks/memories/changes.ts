import { expect } from 'vitest';
import type { MemoryRecord } from '../../transport/answer.js';
import type { Target } from '../../world/target.js';
import { defineChecks } from '../check.js';
import { expectNoVector, expectRefusal, expectTimestamp } from '../matchers.js';

const CURSOR = /^[^|]+\|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

async function someMemories(
  target: Target,
  count: number,
): Promise<{ project: string; list: readonly MemoryRecord[] }> {
  const project = target.word();
  const answer = await target.batch(Array.from({ length: count }, () => target.fields({ metadata: { project } })));
  return { project, list: answer.memories };
}

const OPERATION = 'listMemoryChanges';

/** GET /api/memories/changes: the guarantees for a follower. */
export const changesChecks = defineChecks('4.9', [
  {
    id: 'changes-created',
    level: 'must',
    requirement: 'A new memory is a change of the kind created, with its fields and updatedAt.',
    async run(target) {
      const project = target.word();
      const { outcome, ...memory } = await target.storedByKey({ metadata: { project } });

      const answer = await target.read('changes', { filter: { project } });

      expect(answer.memories).toEqual([{ ...memory, change: 'created' }]);
      expectTimestamp(answer.memories[0]?.updatedAt);
    },
  },
  {
    id: 'changes-updated',
    level: 'should',
    requirement: 'A memory that was changed after its creation is a change of the kind updated, as it is now.',
    async run(target) {
      const project = target.word();
      const { id } = await target.stored({ metadata: { project } });
      const content = target.unique('changed');
      await target.patch(id, { content });

      const answer = await target.read('changes', { filter: { project } });

      expect(answer.memories).toMatchObject([{ id, content, change: 'updated' }]);
    },
  },
  {
    id: 'changes-deleted',
    level: 'must',
    requirement: 'With includeDeleted, a soft-deleted memory is a change of the kind deleted, with id and deletedAt.',
    async run(target) {
      const project = target.word();
      const { id } = await target.deleted({ metadata: { project } });

      const answer = await target.read('changes', { filter: { project }, includeDeleted: true });

      expect(answer.memories).toMatchObject([{ id, change: 'deleted' }]);
      expectTimestamp(answer.memories[0]?.deletedAt);
    },
  },
  {
    id: 'changes-deleted-without-content',
    level: 'must',
    requirement: 'The content of a deleted entry is left out.',
    async run(target) {
      const project = target.word();
      const { content } = await target.deleted({ metadata: { project } });

      const answer = await target.read('changes', { filter: { project }, includeDeleted: true });

      expect(answer.memories[0]).not.toHaveProperty('content');
      expect(answer.text).not.toContain(content);
    },
  },
  {
    id: 'changes-since-is-required',
    level: 'must',
    requirement: 'Without since, the changes are rejected with 422.',
    async run(target) {
      expectRefusal(await target.send('GET', '/api/memories/changes'), 422);
    },
  },
  {
    id: 'changes-since-is-a-time',
    level: 'must',
    requirement: 'A since that is not an ISO 8601 time is rejected with 422.',
    async run(target) {
      for (const since of ['yesterday', '17', '2026-13-01T00:00:00Z', '']) {
        expectRefusal(await target.read('changes', { since }), 422);
      }
    },
  },
  {
    id: 'changes-since-bounds',
    level: 'must',
    requirement: 'Only changes at or after the given time are returned.',
    async run(target) {
      const { project, list } = await someMemories(target, 3);
      const since = list[1]?.updatedAt;

      const answer = await target.read('changes', { filter: { project }, since });

      expect(answer.ids).toEqual(list.slice(1).map(({ id }) => id));
    },
  },
  {
    id: 'changes-in-order',
    level: 'should',
    requirement: 'Changes come in the order in which they happened, and each memory once, at its last change.',
    async run(target) {
      const { project, list } = await someMemories(target, 3);
      const [one, two, three] = list.map(({ id }) => id);
      await target.patch(one ?? '', { metadata: { seen: 1 } });

      expect((await target.read('changes', { filter: { project } })).ids).toEqual([two, three, one]);
    },
  },
  {
    id: 'changes-limit',
    level: 'must',
    requirement: 'limit bounds the changes of a page.',
    async run(target) {
      const { project } = await someMemories(target, 3);

      const answer = await target.read('changes', { filter: { project }, limit: 2 });

      expect(answer.memories).toHaveLength(2);
      expect(answer.body.meta).toMatchObject({ count: 2 });
    },
  },
  {
    id: 'changes-default-limit',
    level: 'must',
    requirement: 'Without a limit, a page has 100 changes.',
    async run(target) {
      const project = await target.projectBeyondAPage();

      expect((await target.read('changes', { filter: { project } })).memories).toHaveLength(
        target.contract.limitOf(OPERATION).default,
      );
    },
  },
  {
    id: 'changes-limit-out-of-bounds-422',
    level: 'should',
    requirement: 'A limit that is out of bounds is rejected with 422, not clamped; 500 is the most.',
    async run(target) {
      const { maximum } = target.contract.limitOf(OPERATION);

      expect((await target.read('changes', { filter: { project: target.word() }, limit: maximum })).status).toBe(200);
      for (const limit of [0, -1, maximum + 1, 'many']) expectRefusal(await target.read('changes', { limit }), 422);
    },
  },
  {
    id: 'changes-meta-count',
    level: 'must',
    requirement: 'meta.count is the number of changes of the page.',
    async run(target) {
      const { project } = await someMemories(target, 2);

      expect((await target.read('changes', { filter: { project } })).body.meta).toMatchObject({ count: 2 });
    },
  },
  {
    id: 'changes-cursor-shape',
    level: 'must',
    requirement: 'nextCursor has the shape <timestamp>|<uuid>.',
    async run(target) {
      const { project, list } = await someMemories(target, 2);

      const { nextCursor } = (await target.read('changes', { filter: { project } })).body;

      expect(nextCursor).toMatch(CURSOR);
      expectTimestamp(String(nextCursor).split('|')[0]);
      expect(String(nextCursor).split('|')[1]).toBe(list[1]?.id);
    },
  },
  {
    id: 'changes-pages-are-whole',
    level: 'must',
    requirement: 'Following nextCursor returns every change once.',
    async run(target) {
      const { project, list } = await someMemories(target, 7);

      const pages = await target.pages('changes', { filter: { project }, limit: 3 });

      expect(pages.flatMap((page) => page.ids)).toEqual(list.map(({ id }) => id));
    },
  },
  {
    id: 'changes-cursor-goes-on',
    level: 'should',
    requirement: 'A follower that is up to date gets its cursor back, and with it all later changes.',
    async run(target) {
      const { project, list } = await someMemories(target, 2);
      const { nextCursor: cursor } = (await target.read('changes', { filter: { project } })).body;

      const idle = await target.read('changes', { filter: { project }, cursor });
      await target.patch(list[0]?.id ?? '', { metadata: { seen: 1 } });
      const later = await target.read('changes', { filter: { project }, cursor });

      expect(idle.body).toMatchObject({ changes: [], nextCursor: cursor });
      expect(later.ids).toEqual([list[0]?.id]);
    },
  },
  {
    id: 'changes-wrong-cursor-422',
    level: 'should',
    requirement: 'A cursor that the service did not make is rejected with 422.',
    async run(target) {
      for (const cursor of ['x', '2026-01-01T00:00:00Z', 'yesterday|0']) {
        expectRefusal(await target.read('changes', { cursor }), 422);
      }
    },
  },
  {
    id: 'changes-updated-at-grows',
    level: 'should',
    requirement: 'No two changes of an organization share an updatedAt.',
    async run(target) {
      const project = await target.projectBeyondAPage();

      const times = (await target.read('changes', { filter: { project } })).memories.map(({ updatedAt }) => updatedAt);

      expect(new Set(times).size).toBe(target.contract.limitOf(OPERATION).default);
      expect(times).toEqual([...times].sort());
    },
  },
  {
    id: 'changes-has-no-vector',
    level: 'must',
    requirement: 'Embeddings are left out of the changes.',
    async run(target) {
      const { project } = await someMemories(target, 1);

      expectNoVector((await target.read('changes', { filter: { project } })).body);
    },
  },
]);
