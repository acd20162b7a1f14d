import { expect } from 'vitest';
import type { Answer, MemoryRecord } from '../../transport/answer.js';
import type { Sending } from '../../transport/request.js';
import type { Target } from '../../world/target.js';
import { defineChecks } from '../check.js';
import { expectRefusal } from '../matchers.js';

const LIST = '/api/organization/memories';
const COUNTS = '/api/organization/memories/counts';
const EVER = '2020-01-01T00:00:00Z';
const DAY_MS = 86_400_000;

interface Bucket {
  start: string;
  count: number;
  counts?: number[];
  other?: number;
}

/** Somebody with a session, and memories of a project of their own. */
interface Browsing {
  as: Sending;
  project: string;
  stored: readonly MemoryRecord[];
  list(query?: Record<string, unknown>): Promise<Answer>;
  count(query?: Record<string, unknown>): Promise<Answer>;
}

async function browsing(target: Target, ...kinds: readonly string[]): Promise<Browsing> {
  const { as } = await target.people.get('member');
  const project = target.word();
  const stored: MemoryRecord[] = [];
  for (const kind of kinds) stored.push(await target.stored({ metadata: { project, kind } }, as));
  const read = (path: string, query: Record<string, unknown>) =>
    target.send('GET', path, undefined, { ...as, query: { filter: { project }, ...query } });
  return {
    as,
    project,
    stored,
    list: (query = {}) => read(LIST, query),
    count: (query = {}) => read(COUNTS, { interval: 'day', since: yesterday(), ...query }),
  };
}

function yesterday(): string {
  return new Date(Date.now() - DAY_MS).toISOString();
}

function idsOf(memories: readonly MemoryRecord[]): string[] {
  return memories.map(({ id }) => id);
}

function bucketsOf({ body }: Answer): Bucket[] {
  return (body.buckets ?? []) as Bucket[];
}

/** Reads of people who browse with a session. The specification leaves them open. */
export const browseChecks = defineChecks('4.10', [
  {
    id: 'browse-needs-a-session',
    level: 'should',
    requirement: 'Browsing needs a session; a token is rejected with 401.',
    needs: ['people'],
    async run(target) {
      const { list, count } = await browsing(target);

      expect([(await list()).status, (await count()).status]).toEqual([200, 200]);
      for (const path of [LIST, `${COUNTS}?interval=day&since=${EVER}`]) {
        expectRefusal(await target.send('GET', path), 401);
        expectRefusal(await target.send('GET', path, undefined, { token: null }), 401);
      }
    },
  },
  {
    id: 'browse-by-creation',
    level: 'should',
    requirement: 'Memories are listed newest first unless told otherwise, or oldest first.',
    needs: ['people'],
    async run(target) {
      const { list, stored } = await browsing(target, 'a', 'b', 'c');

      expect((await list()).ids).toEqual(idsOf(stored).reverse());
      expect((await list({ direction: 'asc' })).ids).toEqual(idsOf(stored));
    },
  },
  {
    id: 'browse-by-change',
    level: 'should',
    requirement: 'Memories are listed by their last change, in both directions.',
    needs: ['people'],
    async run(target) {
      const { as, list, stored } = await browsing(target, 'a', 'b', 'c');
      const [one = '', two, three] = idsOf(stored);
      await target.send('PATCH', `/api/memories/${one}`, { metadata: { seen: 1 } }, as);

      expect((await list({ sort: 'updatedAt' })).ids).toEqual([one, three, two]);
      expect((await list({ sort: 'updatedAt', direction: 'asc' })).ids).toEqual([two, three, one]);
    },
  },
  {
    id: 'browse-pages-are-whole',
    level: 'should',
    requirement: 'Following nextCursor returns every memory once; the last page has none.',
    needs: ['people'],
    async run(target) {
      const { list, stored } = await browsing(target, 'a', 'b', 'c', 'd', 'e');
      const ids: string[] = [];
      let cursor: unknown;
      do {
        const page = await list({ limit: 2, cursor });
        expect(page.memories.length).toBeLessThanOrEqual(2);
        ids.push(...page.ids);
        cursor = page.body.nextCursor;
      } while (cursor !== undefined && ids.length <= stored.length);

      expect(ids).toEqual(idsOf(stored).reverse());
    },
  },
  {
    id: 'browse-bounds',
    level: 'should',
    requirement: 'since is inclusive and until exclusive.',
    needs: ['people'],
    async run(target) {
      const { list, stored } = await browsing(target, 'a', 'b', 'c');
      const [, second, third] = stored;

      const answer = await list({ since: second?.createdAt, until: third?.createdAt });

      expect(answer.ids).toEqual([second?.id]);
    },
  },
  {
    id: 'browse-deleted',
    level: 'should',
    requirement: 'Soft-deleted memories are listed with includeDeleted, and only they with onlyDeleted.',
    needs: ['people'],
    async run(target) {
      const { as, list, stored } = await browsing(target, 'a', 'b');
      const [one = '', two] = idsOf(stored);
      await target.delete(one, as);

      expect((await list()).ids).toEqual([two]);
      expect((await list({ includeDeleted: true })).ids).toEqual([two, one]);
      expect((await list({ onlyDeleted: true })).ids).toEqual([one]);
    },
  },
  {
    id: 'browse-preview',
    level: 'should',
    requirement: 'preview cuts each content to that many characters, and the whole length is returned.',
    needs: ['people'],
    async run(target) {
      const { list, stored } = await browsing(target, 'a');
      const content = stored[0]?.content ?? '';
      const contentLength = Array.from(content).length;

      const cut = await list({ preview: 5 });
      const whole = await list({ preview: 1000 });

      expect(cut.memories).toMatchObject([{ content: content.slice(0, 5), contentLength, truncated: true }]);
      expect(whole.memories).toMatchObject([{ content, contentLength }]);
      expect(whole.memories[0]).not.toHaveProperty('truncated');
    },
  },
  {
    id: 'browse-limit-out-of-bounds-422',
    level: 'should',
    requirement: 'A limit that is out of bounds is rejected with 422, not clamped.',
    needs: ['people'],
    async run(target) {
      const { list } = await browsing(target);
      const { maximum } = target.contract.limitOf('listMemories');

      expect((await list({ limit: maximum })).status).toBe(200);
      for (const limit of [0, maximum + 1]) expectRefusal(await list({ limit }), 422);
    },
  },
  {
    id: 'counts-by-interval',
    level: 'should',
    requirement: 'Memories are counted in consecutive intervals of UTC, including empty ones.',
    needs: ['people'],
    async run(target) {
      const { count, stored } = await browsing(target, 'a', 'b', 'c');

      const buckets = bucketsOf(await count());

      const days = new Map<string, number>();
      for (const { createdAt } of stored) {
        const day = createdAt.slice(0, 10);
        days.set(day, (days.get(day) ?? 0) + 1);
      }
      expect(buckets.length).toBeGreaterThanOrEqual(2);
      const counted = buckets.filter((bucket) => bucket.count > 0);
      expect(counted.map((bucket) => [bucket.start, bucket.count])).toEqual(
        Array.from(days, ([day, number]) => [`${day}T00:00:00.000000Z`, number]),
      );
    },
  },
  {
    id: 'counts-by-facet',
    level: 'should',
    requirement: 'facet splits the counts by the most frequent values of a metadata key.',
    needs: ['people'],
    async run(target) {
      const { count } = await browsing(target, 'a', 'b', 'a', 'c');

      const answer = await count({ facet: 'kind', values: 1 });

      expect(answer.body.values).toEqual([{ value: 'a', count: 2 }]);
      const buckets = bucketsOf(answer);
      const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
      expect(sum(buckets.map(({ counts = [] }) => sum(counts)))).toBe(2);
      expect(sum(buckets.map(({ other = 0 }) => other))).toBe(2);
      expect(answer.body.meta).toMatchObject({ count: 4 });
    },
  },
  {
    id: 'counts-too-many-422',
    level: 'should',
    requirement: 'A request for too many intervals is rejected with 422.',
    needs: ['people'],
    async run(target) {
      const { count } = await browsing(target);

      expectRefusal(await count({ interval: 'hour', since: EVER, until: '2021-01-01T00:00:00Z' }), 422);
    },
  },
]);
