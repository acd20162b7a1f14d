import { expect } from 'vitest';
import type { Target } from '../../world/target.js';
import { defineChecks } from '../check.js';
import { expectNoVector, expectRefusal } from '../matchers.js';

async function someMemories(target: Target, count: number): Promise<{ project: string; ids: string[] }> {
  const project = target.word();
  const answer = await target.batch(Array.from({ length: count }, () => target.fields({ metadata: { project } })));
  return { project, ids: answer.ids };
}

const OPERATION = 'exportMemories';

/** GET /api/memories/export. */
export const exportChecks = defineChecks('4.7', [
  {
    id: 'export-ndjson',
    level: 'must',
    requirement: 'An export is application/x-ndjson, with one JSON object per line.',
    async run(target) {
      const { project } = await someMemories(target, 2);

      const answer = await target.read('export', { filter: { project } });

      expect(answer.headers.get('content-type')).toContain('application/x-ndjson');
      expect(answer.text.trimEnd().split('\n')).toHaveLength(2);
    },
  },
  {
    id: 'export-line-fields',
    level: 'must',
    requirement: 'A line holds id, content, metadata, the keys that are set, createdAt and updatedAt.',
    async run(target) {
      const project = target.word();
      const { outcome, ...memory } = await target.storedByKey({ metadata: { project } });

      const answer = await target.read('export', { filter: { project } });

      expect(answer.memories).toEqual([memory]);
    },
  },
  {
    id: 'export-line-break-in-content',
    level: 'must',
    requirement: 'A line break in content does not break a line.',
    async run(target) {
      const project = target.word();
      const content = `${target.unique('two lines')}\nsecond\u2028third`;
      await target.stored({ content, metadata: { project } });

      expect((await target.read('export', { filter: { project } })).memories).toMatchObject([{ content }]);
    },
  },
  {
    id: 'export-oldest-first',
    level: 'must',
    requirement: 'An export is ordered by createdAt, the oldest first.',
    async run(target) {
      const { project, ids } = await someMemories(target, 3);
      await target.patch(ids[0] ?? '', { metadata: { seen: 1 } });

      expect((await target.read('export', { filter: { project } })).ids).toEqual(ids);
    },
  },
  {
    id: 'export-limit',
    level: 'must',
    requirement: 'limit bounds the lines of a page.',
    async run(target) {
      const { project, ids } = await someMemories(target, 3);

      expect((await target.read('export', { filter: { project }, limit: 2 })).ids).toEqual(ids.slice(0, 2));
    },
  },
  {
    id: 'export-default-limit',
    level: 'must',
    requirement: 'Without a limit, a page has 100 lines.',
    async run(target) {
      const project = await target.projectBeyondAPage();

      expect((await target.read('export', { filter: { project } })).memories).toHaveLength(
        target.contract.limitOf(OPERATION).default,
      );
    },
  },
  {
    id: 'export-maximal-limit',
    level: 'must',
    requirement: 'A limit of 500 is accepted.',
    async run(target) {
      const { maximum } = target.contract.limitOf(OPERATION);

      expect((await target.read('export', { filter: { project: target.word() }, limit: maximum })).status).toBe(200);
    },
  },
  {
    id: 'export-limit-out-of-bounds-422',
    level: 'should',
    requirement: 'A limit that is out of bounds is rejected with 422, not clamped.',
    async run(target) {
      const { maximum } = target.contract.limitOf(OPERATION);

      for (const limit of [0, -1, maximum + 1, 'many']) expectRefusal(await target.read('export', { limit }), 422);
    },
  },
  {
    id: 'export-pages-are-whole',
    level: 'must',
    requirement: 'Following the cursors of X-Next-Cursor returns every memory once.',
    async run(target) {
      const { project, ids } = await someMemories(target, 7);

      const pages = await target.pages('export', { filter: { project }, limit: 3 });

      expect(pages.map((page) => page.memories.length)).toEqual([3, 3, 1]);
      expect(pages.flatMap((page) => page.ids)).toEqual(ids);
    },
  },
  {
    id: 'export-last-page-has-no-cursor',
    level: 'should',
    requirement: 'X-Next-Cursor is present only if more follows.',
    async run(target) {
      const { project } = await someMemories(target, 2);

      const more = await target.read('export', { filter: { project }, limit: 1 });
      const last = await target.read('export', { filter: { project }, limit: 2 });

      expect(more.headers.get('x-next-cursor')).not.toBeNull();
      expect(last.headers.get('x-next-cursor')).toBeNull();
    },
  },
  {
    id: 'export-wrong-cursor-422',
    level: 'should',
    requirement: 'A cursor that the service did not make is rejected with 422.',
    async run(target) {
      expectRefusal(await target.read('export', { cursor: 'not-a-cursor' }), 422);
    },
  },
  {
    id: 'export-empty',
    level: 'should',
    requirement: 'An export of nothing is an empty body.',
    async run(target) {
      const answer = await target.read('export', { filter: { project: target.word() } });

      expect(answer.status).toBe(200);
      expect(answer.text).toBe('');
    },
  },
  {
    id: 'export-has-no-vector',
    level: 'must',
    requirement: 'Embeddings are left out of an export.',
    async run(target) {
      const { project } = await someMemories(target, 1);

      expectNoVector((await target.read('export', { filter: { project } })).memories);
    },
  },
]);
