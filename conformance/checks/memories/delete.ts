import { expect } from 'vitest';
import type { Read } from '../../world/memory-requests.js';
import type { Target } from '../../world/target.js';
import { type Check, defineChecks } from '../check.js';
import { expectRefusal, expectTimestamp } from '../matchers.js';

const UNKNOWN = '00000000-0000-7000-8000-000000000000';

/** Returns the ids that a read returns from the memories of one project. */
async function found(target: Target, read: Read | 'search', project: string, includeDeleted?: boolean) {
  const query = { filter: { project }, ...(includeDeleted && { includeDeleted }) };
  return read === 'search' ? target.search({ query: 'memory', ...query }) : target.read(read, query);
}

function hiddenFrom(read: Read | 'search', section: string): Check {
  return {
    id: `delete-hides-from-${read}`,
    section,
    level: 'must',
    requirement: `A soft-deleted memory is left out of ${read}.`,
    async run(target) {
      const project = target.word();
      const kept = await target.stored({ metadata: { project } });
      await target.deleted({ metadata: { project } });

      const answer = await found(target, read, project);

      expect(answer.status).toBe(200);
      if (read === 'stats') expect(answer.body.meta).toMatchObject({ filtered: 1 });
      else expect(answer.ids).toEqual([kept.id]);
    },
  };
}

function shownIn(read: Read | 'search', section: string): Check {
  return {
    id: `delete-shown-in-${read}`,
    section,
    level: 'must',
    requirement: `With includeDeleted, ${read} takes in soft-deleted memories.`,
    async run(target) {
      const project = target.word();
      const kept = await target.stored({ metadata: { project } });
      const gone = await target.deleted({ metadata: { project } });

      const answer = await found(target, read, project, true);

      expect(answer.status).toBe(200);
      if (read === 'stats') {
        expect(answer.body.meta).toMatchObject({ filtered: 2 });
        return;
      }
      expect([...answer.ids].sort()).toEqual([kept.id, gone.id].sort());
      const [shown] = answer.memories.filter(({ id }) => id === gone.id);
      expectTimestamp(shown?.deletedAt);
    },
  };
}

const READS = [
  ['recent', '4.10'],
  ['search', '4.11'],
  ['export', '4.7'],
  ['stats', '4.8'],
  ['changes', '4.9'],
] as const;

/** DELETE /api/memories/{id}, and soft-deleted memories in the reads. */
export const deleteChecks: readonly Check[] = [
  ...defineChecks('4.6', [
    {
      id: 'delete-204-empty',
      level: 'must',
      requirement: 'A delete gets 204 and an empty body.',
      async run(target) {
        const { id } = await target.stored();

        const answer = await target.delete(id);

        expect(answer.status).toBe(204);
        expect(answer.text).toBe('');
      },
    },
    {
      id: 'delete-sets-deleted-at',
      level: 'must',
      requirement: 'A delete keeps the memory and gives it deletedAt.',
      async run(target) {
        const { id, content } = await target.deleted();

        const answer = await target.get(id, { includeDeleted: true });

        expect(answer.body).toMatchObject({ id, content });
        expectTimestamp(answer.body.deletedAt);
      },
    },
    {
      id: 'delete-unknown-404',
      level: 'should',
      requirement: 'Deleting an unknown id, or one that is not a UUID, gets 404.',
      async run(target) {
        for (const id of [UNKNOWN, 'not-a-uuid']) expectRefusal(await target.delete(id), 404);
      },
    },
    {
      id: 'delete-twice-404',
      level: 'should',
      requirement: 'A second delete of the same memory gets 404.',
      async run(target) {
        const { id } = await target.deleted();

        expectRefusal(await target.delete(id), 404);
      },
    },
    {
      id: 'delete-frees-content',
      level: 'should',
      requirement: 'The content of a soft-deleted memory may be stored anew, as a memory of its own.',
      async run(target) {
        const gone = await target.deleted();

        const again = await target.ingest({ content: gone.content });

        expect(again.status).toBe(201);
        expect(again.body.id).not.toBe(gone.id);
      },
    },
  ]),
  ...READS.map(([read, section]) => hiddenFrom(read, section)),
  ...READS.map(([read, section]) => shownIn(read, section)),
];
