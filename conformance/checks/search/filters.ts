import { expect } from 'vitest';
import type { Answer } from '../../transport/answer.js';
import { PrerequisiteError } from '../../transport/prerequisite.js';
import type { Read } from '../../world/memory-requests.js';
import type { Target } from '../../world/target.js';
import { type Check, defineChecks } from '../check.js';
import { expectRefusal } from '../matchers.js';

const KEYS = ['agentId', 'source', 'surface', 'project', 'kind', 'documentId'] as const;

/** Returns the number of memories in the answer of any read. */
function counted(answer: Answer): number {
  if (answer.status !== 200) throw new PrerequisiteError(`a filtered read was answered with ${answer.status}`);
  const { filtered } = (answer.body.meta ?? {}) as { filtered?: number };
  return filtered ?? answer.memories.length;
}

function byKey(key: (typeof KEYS)[number]): Omit<Check, 'section'> {
  return {
    id: `filter-by-${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
    level: 'must',
    requirement: `The filter key ${key} is equality on the metadata key of that name.`,
    async run(target) {
      const value = target.word();
      const document = { documentId: value, chunkIndex: 0, chunkTotal: 1 };
      const { id } = await target.stored({ metadata: key === 'documentId' ? document : { [key]: value } });
      await target.stored(key === 'documentId' ? {} : { metadata: { [key]: `${value}x` } });

      expect((await target.read('recent', { filter: { [key]: value } })).ids).toEqual([id]);
    },
  };
}

function inRead(read: Read | 'search'): Omit<Check, 'section'> {
  return {
    id: `filter-in-${read}`,
    level: 'must',
    requirement: `${read} takes a filter.`,
    async run(target) {
      const project = target.word();
      const kind = target.word();
      await target.batch([
        target.fields({ metadata: { project, kind } }),
        target.fields({ metadata: { project } }),
        target.fields({ metadata: { kind } }),
      ]);
      const filter = { project, kind };

      const answer = await (read === 'search'
        ? target.search({ query: 'memory', filter })
        : target.read(read, { filter }));

      expect(counted(answer)).toBe(1);
    },
  };
}

async function matching(target: Target, match: Record<string, unknown>): Promise<string[]> {
  return (await target.read('recent', { filter: { match } })).ids;
}

/** The filter object (2.3) and how it is written in a query string (4.12). */
export const filterChecks: readonly Check[] = [
  ...defineChecks('2.3', [
    ...KEYS.map(byKey),
    ...(['search', 'recent', 'export', 'stats', 'changes'] as const).map(inRead),
    {
      id: 'filter-by-subject-key',
      level: 'must',
      requirement: 'The filter key subjectKey is equality on the subject key.',
      needs: ['subject-keys'],
      async run(target) {
        const subjectKey = await target.subjectKeys.unused();
        const { id } = await target.stored({ subjectKey });
        await target.stored({ subjectKey: await target.subjectKeys.unused() });

        expect((await target.read('recent', { filter: { subjectKey } })).ids).toEqual([id]);
        expect((await target.search({ query: 'memory', filter: { subjectKey } })).ids).toEqual([id]);
      },
    },
    {
      id: 'filter-match-any-key',
      level: 'must',
      requirement: 'match compares any metadata key by equality.',
      async run(target) {
        const team = target.word();
        const { id } = await target.stored({ metadata: { team } });

        expect(await matching(target, { team })).toEqual([id]);
        expect(await matching(target, { team: `${team}x` })).toEqual([]);
      },
    },
    {
      id: 'filter-match-typed',
      level: 'should',
      requirement: 'match distinguishes values of different JSON types.',
      async run(target) {
        const team = target.word();
        const { memories } = await target.batch(
          [1, '1', true, null].map((rank) => target.fields({ metadata: { team, rank } })),
        );
        for (const [at, rank] of [1, '1', true, null].entries()) {
          expect(await matching(target, { team, rank })).toEqual([memories[at]?.id]);
        }
      },
    },
    {
      id: 'filter-match-external-key',
      level: 'must',
      requirement: 'match.externalKey is compared with the external key.',
      async run(target) {
        const { id, externalKey } = await target.storedByKey();

        expect(await matching(target, { externalKey })).toEqual([id]);
      },
    },
    {
      id: 'filter-all-must-hold',
      level: 'must',
      requirement: 'All of several conditions must match.',
      async run(target) {
        const project = target.word();
        const { id } = await target.stored({ metadata: { project, kind: 'note', team: 'a' } });
        await target.batch([
          target.fields({ metadata: { project, kind: 'page', team: 'a' } }),
          target.fields({ metadata: { project, kind: 'note', team: 'b' } }),
        ]);

        const filter = { project, kind: 'note', match: { team: 'a' } };

        expect((await target.read('recent', { filter })).ids).toEqual([id]);
      },
    },
    {
      id: 'filter-is-optional',
      level: 'must',
      requirement: 'Without a filter, all memories are read.',
      isAlone: true,
      async run(target) {
        const { id } = await target.stored({ metadata: { kind: target.word() } });

        const limit = target.contract.limitOf('listRecentMemories').maximum;
        expect((await target.read('recent', { limit })).ids).toContain(id);
      },
    },
    {
      id: 'filter-on-absent-key',
      level: 'should',
      requirement: 'A memory without the key of a condition does not match.',
      async run(target) {
        const project = target.word();
        await target.stored({ metadata: { project } });

        expect((await target.read('recent', { filter: { project, kind: 'note' } })).ids).toEqual([]);
      },
    },
    {
      id: 'filter-unknown-key-422',
      level: 'should',
      requirement: 'A filter key that does not exist is rejected with 422.',
      async run(target) {
        expectRefusal(await target.search({ query: 'x', filter: { colour: 'red' } }), 422);
        expectRefusal(await target.read('recent', { filter: { colour: 'red' } }), 422);
      },
    },
  ]),
  ...defineChecks('4.12', [
    {
      id: 'filter-query-json',
      level: 'should',
      requirement: 'In a query string the filter may be JSON, whose values keep their types.',
      async run(target) {
        const team = target.word();
        const { id } = await target.stored({ metadata: { team, done: true } });

        expect((await target.read('recent', { filter: { match: { team, done: true } } })).ids).toEqual([id]);
        expect((await target.read('recent', { filter: { match: { team, done: 'true' } } })).ids).toEqual([]);
      },
    },
    {
      id: 'filter-query-brackets',
      level: 'should',
      requirement: 'In a query string the filter may be written in brackets.',
      async run(target) {
        const project = target.word();
        const { id } = await target.stored({ metadata: { project, team: 'a' } });
        await target.stored({ metadata: { project, team: 'b' } });

        const query = { 'filter[project]': project, 'filter[match][team]': 'a' };

        expect((await target.read('recent', query)).ids).toEqual([id]);
      },
    },
    {
      id: 'filter-query-brackets-subject',
      level: 'should',
      requirement: 'A subject key in brackets is read as the type of the organization.',
      needs: ['subject-keys'],
      async run(target) {
        const subjectKey = await target.subjectKeys.unused();
        const { id } = await target.stored({ subjectKey });

        expect((await target.read('recent', { 'filter[subjectKey]': subjectKey })).ids).toEqual([id]);
      },
    },
    {
      id: 'filter-query-broken-422',
      level: 'should',
      requirement: 'A filter that is not JSON, or given twice, is rejected with 422.',
      async run(target) {
        for (const filter of ['{', 'x', '[]', '7']) expectRefusal(await target.read('recent', { filter }), 422);
        const twice = '/api/memories/recent?filter[kind]=a&filter[kind]=b';
        expectRefusal(await target.send('GET', twice), 422);
      },
    },
  ]),
];
