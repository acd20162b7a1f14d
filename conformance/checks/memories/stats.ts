import { expect } from 'vitest';
import { defineChecks } from '../check.js';

const FACETS = ['agentId', 'source', 'surface', 'project', 'kind'];

/** GET /api/memories/stats. */
export const statsChecks = defineChecks('4.8', [
  {
    id: 'stats-facets',
    level: 'must',
    requirement: 'Counts are given for agentId, source, surface, project and kind.',
    async run(target) {
      const metadata = Object.fromEntries(FACETS.map((facet) => [facet, target.word()]));
      await target.stored({ metadata });

      const answer = await target.read('stats', { filter: { project: metadata.project } });

      const expected = FACETS.map((facet) => [facet, [{ value: metadata[facet], count: 1 }]]);
      expect(answer.body.facets).toEqual(Object.fromEntries(expected));
    },
  },
  {
    id: 'stats-counts',
    level: 'must',
    requirement: 'A facet counts the memories that have the value.',
    async run(target) {
      const project = target.word();
      const kinds = ['note', 'page', 'note'];
      await target.batch(kinds.map((kind) => target.fields({ metadata: { project, kind } })));

      const { facets } = (await target.read('stats', { filter: { project } })).body;

      expect(facets).toMatchObject({
        kind: [
          { value: 'note', count: 2 },
          { value: 'page', count: 1 },
        ],
      });
    },
  },
  {
    id: 'stats-filtered',
    level: 'must',
    requirement: 'meta.filtered is the number of memories that the filter matches.',
    async run(target) {
      const project = target.word();
      await target.batch([1, 2, 3].map(() => target.fields({ metadata: { project } })));
      await target.stored();

      expect((await target.read('stats', { filter: { project } })).body.meta).toMatchObject({ filtered: 3 });
    },
  },
  {
    id: 'stats-total',
    level: 'must',
    requirement: 'meta.total is the number of memories of the organization, whatever the filter.',
    async run(target) {
      await target.stored();

      const all = (await target.read('stats')).body.meta as { total: number; filtered: number };
      const none = (await target.read('stats', { filter: { project: target.word() } })).body.meta;

      expect(all.total).toBeGreaterThanOrEqual(1);
      expect(all.filtered).toBe(all.total);
      expect(none).toMatchObject({ filtered: 0 });
      expect((none as { total: number }).total).toBeGreaterThanOrEqual(1);
    },
  },
  {
    id: 'stats-by-subject',
    level: 'must',
    requirement: 'Counts can be filtered by subject key.',
    needs: ['subject-keys'],
    async run(target) {
      const subjectKey = await target.subjectKeys.unused();
      await target.stored({ subjectKey });
      await target.stored();

      expect((await target.read('stats', { filter: { subjectKey } })).body.meta).toMatchObject({ filtered: 1 });
    },
  },
  {
    id: 'stats-facets-of-nothing',
    level: 'should',
    requirement: 'A facet of which no memory has a value is an empty list.',
    async run(target) {
      const { facets } = (await target.read('stats', { filter: { project: target.word() } })).body;

      expect(facets).toEqual(Object.fromEntries(FACETS.map((facet) => [facet, []])));
    },
  },
]);
