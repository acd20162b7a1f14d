import { expect } from 'vitest';
import { defineChecks } from '../check.js';
import { expectNoVector, expectRefusal } from '../matchers.js';

const UNKNOWN = '00000000-0000-7000-8000-000000000000';
const NOT_FOUND = { error: 'Not found' };

/** GET /api/memories/{id}. */
export const getChecks = defineChecks('4.4', [
  {
    id: 'get-returns-record',
    level: 'must',
    requirement: 'A memory is returned with its id, content, metadata and times.',
    async run(target) {
      const { outcome, ...memory } = await target.stored({ metadata: { kind: 'note', deep: { a: [1, { b: null }] } } });

      const answer = await target.get(memory.id);

      expect(answer.status).toBe(200);
      expect(answer.body).toEqual(memory);
    },
  },
  {
    id: 'get-unknown-404',
    level: 'must',
    requirement: 'An unknown id gets 404 and exactly the error Not found.',
    async run(target) {
      const answer = await target.get(UNKNOWN);

      expectRefusal(answer, 404);
      expect(answer.body).toEqual(NOT_FOUND);
    },
  },
  {
    id: 'get-malformed-404',
    level: 'must',
    requirement: 'An id that is not a UUID is answered like an unknown one.',
    async run(target) {
      for (const id of ['not-a-uuid', '1', '0198c5a2', `${UNKNOWN}0`, '%F0%9F%98%80']) {
        const answer = await target.get(id);
        expectRefusal(answer, 404);
        expect(answer.body).toEqual(NOT_FOUND);
      }
    },
  },
  {
    id: 'get-foreign-404',
    level: 'must',
    requirement: 'An id of another organization is answered like an unknown one.',
    needs: ['second-organization'],
    async run(target) {
      const { id } = await target.stored({}, { token: target.secondToken });

      const answer = await target.get(id);

      expectRefusal(answer, 404);
      expect(answer.body).toEqual(NOT_FOUND);
    },
  },
  {
    id: 'get-deleted-404',
    level: 'should',
    requirement: 'A soft-deleted memory is not found unless includeDeleted is true.',
    async run(target) {
      const { id } = await target.deleted();

      const hidden = await target.get(id);
      const shown = await target.get(id, { includeDeleted: true });

      expectRefusal(hidden, 404);
      expect(shown.status).toBe(200);
      expect(shown.body).toHaveProperty('deletedAt');
    },
  },
  {
    id: 'get-active-has-no-deleted-at',
    level: 'must',
    requirement: 'deletedAt is present on soft-deleted memories only.',
    async run(target) {
      const { id } = await target.stored();

      expect((await target.get(id)).body).not.toHaveProperty('deletedAt');
    },
  },
  {
    id: 'get-has-no-outcome',
    level: 'should',
    requirement: 'outcome and dedupe belong to writes and are absent from reads.',
    async run(target) {
      const { id } = await target.stored();

      const answer = await target.get(id);

      expect(answer.body).not.toHaveProperty('outcome');
      expect(answer.body).not.toHaveProperty('dedupe');
    },
  },
  {
    id: 'get-has-no-vector',
    level: 'must',
    requirement: 'Reads do not return the embedding.',
    async run(target) {
      const { id } = await target.stored();

      expectNoVector((await target.get(id)).body);
    },
  },
]);
