import { expect } from 'vitest';
import { defineChecks } from '../check.js';
import { expectNoVector, expectRefusal } from '../matchers.js';

const UNKNOWN = '00000000-0000-7000-8000-000000000000';
const NOT_FOUND = { error: 'Not found' };

/** GET /api/memories/{id}/similar. */
export const similarChecks = defineChecks('4.11', [
  {
    id: 'similar-by-meaning',
    level: 'should',
    requirement: 'The memory about the same subject comes before those about others.',
    async run(target) {
      const project = target.word();
      const { id } = await target.stored({
        content: `Deployments to production run on Friday at noon. ${target.word()}`,
        metadata: { project },
      });
      const texts = [
        'The office coffee machine is cleaned every Monday morning.',
        'We deploy to production on Fridays.',
        'Our invoices are paid within thirty days.',
      ];
      const items = texts.map((text) => target.fields({ content: `${text} ${target.word()}`, metadata: { project } }));
      const { ids } = await target.batch(items);

      const found = await target.similar(id, { filter: { project } });

      expect(found.ids[0]).toBe(ids[1]);
    },
  },
  {
    id: 'similar-without-itself',
    level: 'should',
    requirement:
      'The answer has the other memories, with their similarity and without their vector, and not the memory.',
    async run(target) {
      const project = target.word();
      const { id } = await target.stored({ metadata: { project } });
      const other = await target.stored({ metadata: { project } });

      const found = await target.similar(id, { filter: { project } });

      expect(found.status).toBe(200);
      expect(found.ids).toEqual([other.id]);
      expect(found.body.meta).toEqual({ count: 1 });
      expect(found.memories[0]).toMatchObject({ score: expect.any(Number), similarity: expect.any(Number) });
      expectNoVector(found);
    },
  },
  {
    id: 'similar-filter',
    level: 'should',
    requirement: 'The filter is applied before the best matches are selected.',
    async run(target) {
      const project = target.word();
      const { id } = await target.stored({ metadata: { project: target.word() } });
      const { ids } = await target.batch([1, 2].map(() => target.fields({ metadata: { project } })));

      const found = await target.similar(id, { filter: { project }, limit: 2 });

      expect([...found.ids].sort()).toEqual([...ids].sort());
    },
  },
  {
    id: 'similar-limit',
    level: 'should',
    requirement: 'No more memories than the limit are returned, and a limit out of bounds is rejected.',
    async run(target) {
      const project = target.word();
      const { id } = await target.stored({ metadata: { project } });
      await target.batch([1, 2, 3].map(() => target.fields({ metadata: { project } })));
      const { maximum } = target.contract.limitOf('listSimilarMemories');

      expect((await target.similar(id, { filter: { project }, limit: 2 })).ids).toHaveLength(2);
      expectRefusal(await target.similar(id, { limit: maximum + 1 }), 422);
    },
  },
  {
    id: 'similar-soft-deleted',
    level: 'should',
    requirement: 'Soft-deleted memories are found, and searched for, only with includeDeleted.',
    async run(target) {
      const project = target.word();
      const { id } = await target.stored({ metadata: { project } });
      const gone = await target.deleted({ metadata: { project } });

      expect((await target.similar(id, { filter: { project } })).ids).toEqual([]);
      expect((await target.similar(id, { filter: { project }, includeDeleted: true })).ids).toEqual([gone.id]);
      expectRefusal(await target.similar(gone.id), 404);
      expect((await target.similar(gone.id, { filter: { project }, includeDeleted: true })).ids).toEqual([id]);
    },
  },
  {
    id: 'similar-unknown-404',
    level: 'should',
    requirement: 'An unknown or malformed id gets 404 and exactly the error Not found.',
    async run(target) {
      for (const id of [UNKNOWN, 'not-a-uuid']) {
        const answer = await target.similar(id);
        expectRefusal(answer, 404);
        expect(answer.body).toEqual(NOT_FOUND);
      }
    },
  },
  {
    id: 'similar-foreign-404',
    level: 'should',
    requirement: 'An id of another organization is answered like an unknown one.',
    needs: ['second-organization'],
    async run(target) {
      const { id } = await target.stored({}, { token: target.secondToken });

      const answer = await target.similar(id);

      expectRefusal(answer, 404);
      expect(answer.body).toEqual(NOT_FOUND);
    },
  },
]);
