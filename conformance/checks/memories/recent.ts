import { expect } from 'vitest';
import { defineChecks } from '../check.js';
import { expectNoVector, expectRefusal } from '../matchers.js';

const OPERATION = 'listRecentMemories';

/** GET /api/memories/recent. */
export const recentChecks = defineChecks('4.10', [
  {
    id: 'recent-newest-first',
    level: 'must',
    requirement: 'The newest memories by createdAt come first.',
    async run(target) {
      const project = target.word();
      const one = await target.stored({ metadata: { project } });
      const two = await target.stored({ metadata: { project } });
      const three = await target.stored({ metadata: { project } });
      // A change does not make a memory newer.
      await target.patch(one.id, { metadata: { seen: 1 } });

      const answer = await target.read('recent', { filter: { project } });

      expect(answer.ids).toEqual([three.id, two.id, one.id]);
    },
  },
  {
    id: 'recent-is-read-your-writes',
    level: 'must',
    requirement: 'A memory is listed as soon as its write is answered.',
    async run(target) {
      const project = target.word();
      const { id } = await target.stored({ metadata: { project } });

      expect((await target.read('recent', { filter: { project } })).ids).toEqual([id]);
    },
  },
  {
    id: 'recent-meta-count',
    level: 'must',
    requirement: 'meta.count is the number of results.',
    async run(target) {
      const project = target.word();
      await target.batch([1, 2, 3].map(() => target.fields({ metadata: { project } })));

      const answer = await target.read('recent', { filter: { project }, limit: 2 });

      expect(answer.memories).toHaveLength(2);
      expect(answer.body.meta).toEqual({ count: 2 });
    },
  },
  {
    id: 'recent-default-limit',
    level: 'must',
    requirement: 'Without a limit, 20 memories are returned.',
    async run(target) {
      const project = await target.projectBeyondAPage();

      expect((await target.read('recent', { filter: { project } })).memories).toHaveLength(
        target.contract.limitOf(OPERATION).default,
      );
    },
  },
  {
    id: 'recent-maximal-limit',
    level: 'must',
    requirement: 'A limit of 50 is accepted, and no answer has more memories.',
    async run(target) {
      const { maximum } = target.contract.limitOf(OPERATION);

      const answer = await target.read('recent', { limit: maximum });

      expect(answer.status).toBe(200);
      expect(answer.memories.length).toBeLessThanOrEqual(maximum);
    },
  },
  {
    id: 'recent-limit-out-of-bounds-422',
    level: 'should',
    requirement: 'A limit that is out of bounds or not an integer is rejected with 422, not clamped.',
    async run(target) {
      const { maximum } = target.contract.limitOf(OPERATION);

      for (const limit of [0, -1, maximum + 1, 1.5, 'many']) expectRefusal(await target.read('recent', { limit }), 422);
    },
  },
  {
    id: 'recent-records',
    level: 'must',
    requirement: 'The results are whole records.',
    async run(target) {
      const project = target.word();
      const { outcome, ...memory } = await target.storedByKey({ metadata: { project } });

      const answer = await target.read('recent', { filter: { project } });

      expect(answer.memories).toEqual([memory]);
    },
  },
  {
    id: 'recent-has-no-vector',
    level: 'must',
    requirement: 'Embeddings are left out of the recent memories.',
    async run(target) {
      await target.stored();

      expectNoVector((await target.read('recent', { limit: 1 })).body);
    },
  },
]);
