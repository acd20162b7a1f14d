import { expect } from 'vitest';
import type { Answer } from '../../transport/answer.js';
import type { Target } from '../../world/target.js';
import { defineChecks } from '../check.js';
import { expectRefusal } from '../matchers.js';

const UNKNOWN = '00000000-0000-7000-8000-000000000000';

function deleteMany(target: Target, body: Record<string, unknown>): Promise<Answer> {
  return target.send('POST', '/api/memories/delete', body);
}

/** Stores a project of some memories. */
async function someMemories(target: Target, count: number): Promise<{ project: string; ids: string[] }> {
  const project = target.word();
  const answer = await target.batch(Array.from({ length: count }, () => target.fields({ metadata: { project } })));
  return { project, ids: answer.memories.map(({ id }) => id) };
}

/** POST /api/memories/delete. */
export const deleteManyChecks = defineChecks('4.6', [
  {
    id: 'delete-many-by-ids',
    level: 'should',
    requirement: 'Many memories are soft-deleted by their ids in one request.',
    async run(target) {
      const { project, ids } = await someMemories(target, 3);
      const [kept, ...gone] = ids;

      const answer = await deleteMany(target, { ids: gone });

      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({ deleted: 2, missing: [], remaining: 0 });
      expect((await target.read('recent', { filter: { project } })).ids).toEqual([kept]);
    },
  },
  {
    id: 'delete-many-missing',
    level: 'should',
    requirement: 'Ids of no active memory are returned as missing.',
    async run(target) {
      const { id } = await target.deleted();

      const answer = await deleteMany(target, { ids: [id, UNKNOWN] });

      expect(answer.body).toEqual({ deleted: 0, missing: [id, UNKNOWN], remaining: 0 });
    },
  },
  {
    id: 'delete-many-by-filter',
    level: 'should',
    requirement: 'One request soft-deletes the memories that a filter matches, and no others.',
    async run(target) {
      const [{ project }, other] = [await someMemories(target, 3), await someMemories(target, 1)];

      const answer = await deleteMany(target, { filter: { project }, expectedCount: 3 });

      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({ deleted: 3, missing: [], remaining: 0 });
      expect((await target.read('recent', { filter: { project } })).ids).toEqual([]);
      expect((await target.read('recent', { filter: { project: other.project } })).ids).toEqual(other.ids);
    },
  },
  {
    id: 'delete-many-count-409',
    level: 'should',
    requirement: 'If the filter does not match the expected number, the count is returned and nothing is deleted.',
    async run(target) {
      const { project, ids } = await someMemories(target, 2);

      const answer = await deleteMany(target, { filter: { project }, expectedCount: 3 });

      expectRefusal(answer, 409, 'count_mismatch');
      expect(answer.body.count).toBe(2);
      expect((await target.read('recent', { filter: { project } })).ids.toSorted()).toEqual(ids.toSorted());
    },
  },
]);
