import { expect } from 'vitest';
import type { Answer, MemoryRecord } from '../../transport/answer.js';
import type { Target } from '../../world/target.js';
import { defineChecks } from '../check.js';

/** Largest difference between `Date` and the time of a write. A wrong time zone differs by more. */
const TOLERANCE_MS = 5 * 60_000;

/** Changes a memory with a key in every way that an update can, and returns the answers. */
async function changeInEveryWay(target: Target, { id, externalKey }: MemoryRecord): Promise<Answer[]> {
  return [
    await target.patch(id, { content: target.unique('changed') }),
    await target.patch(id, { metadata: { changed: 1 } }),
    await target.send('PUT', `/api/memories/${id}`, { metadata: { changed: 2 } }),
    await target.upsert({ externalKey: String(externalKey), content: target.unique('changed by its key') }),
  ];
}

function timesOf({ createdAt, updatedAt }: Pick<MemoryRecord, 'createdAt' | 'updatedAt'>) {
  return { createdAt, updatedAt };
}

/** The times of a record, in writes and in reads. */
export const timestampChecks = defineChecks('2.1', [
  {
    id: 'update-keeps-created-at',
    level: 'must',
    requirement: 'No update moves createdAt, neither in its answer nor in later reads.',
    async run(target) {
      const before = await target.storedByKey();

      const answers = await changeInEveryWay(target, before);

      const { createdAt } = before;
      expect(answers.map(({ memory }) => memory.createdAt)).toEqual(answers.map(() => createdAt));
      expect((await target.get(before.id)).body.createdAt).toBe(createdAt);
    },
  },
  {
    id: 'update-is-always-later',
    level: 'should',
    requirement: 'Every update moves updatedAt forward, and reads return that of the last one.',
    async run(target) {
      const before = await target.storedByKey();

      const answers = await changeInEveryWay(target, before);

      const times = [before, ...answers.map(({ memory }) => memory)].map(({ updatedAt }) => updatedAt);
      expect(times).toEqual([...new Set(times)].sort());
      expect((await target.get(before.id)).body.updatedAt).toBe(times.at(-1));
    },
  },
  {
    id: 'restore-keeps-created-at',
    level: 'should',
    requirement: 'A delete and a restore keep createdAt. deletedAt is not before the last change.',
    async run(target) {
      const { id, createdAt, updatedAt } = await target.stored();
      await target.delete(id);
      const deleted = (await target.get(id, { includeDeleted: true })).memory;

      const restored = (await target.send('POST', `/api/memories/${id}/restore`)).memory;

      expect([deleted.createdAt, restored.createdAt]).toEqual([createdAt, createdAt]);
      expect(String(deleted.deletedAt) >= updatedAt).toBe(true);
      expect(restored.updatedAt > updatedAt).toBe(true);
    },
  },
  {
    id: 'ingest-created-at-is-now',
    level: 'should',
    requirement: 'createdAt of a new memory is the time of its ingest, and updatedAt is the same.',
    async run(target) {
      const answer = await target.ingest();

      const { createdAt, updatedAt } = answer.memory;
      const date = answer.headers.get('date');
      expect(updatedAt).toBe(createdAt);
      if (date !== null) expect(Math.abs(Date.parse(createdAt) - Date.parse(date))).toBeLessThan(TOLERANCE_MS);
    },
  },
  {
    id: 'reads-agree-on-times',
    level: 'should',
    requirement: 'All reads return the same createdAt and updatedAt of a memory.',
    async run(target) {
      const project = target.word();
      const { id, content } = await target.stored({ metadata: { project } });
      const times = timesOf((await target.patch(id, { metadata: { changed: 1 } })).memory);

      const lists = [
        await target.read('recent', { filter: { project } }),
        await target.read('export', { filter: { project } }),
        await target.search({ query: content, filter: { project } }),
      ];

      expect(timesOf((await target.get(id)).memory)).toEqual(times);
      for (const { memories } of lists) expect(memories.map(timesOf)).toEqual([times]);
    },
  },
  {
    id: 'changes-agree-on-times',
    level: 'should',
    requirement: 'An entry of the feed has the times of its memory, and since selects by this updatedAt.',
    async run(target) {
      const project = target.word();
      const first = await target.stored({ metadata: { project } });
      const second = await target.stored({ metadata: { project } });
      const changed = (await target.patch(first.id, { metadata: { changed: 1 } })).memory;

      const all = await target.read('changes', { filter: { project } });
      const since = await target.read('changes', { filter: { project }, since: changed.updatedAt });

      expect(all.memories.map(timesOf)).toEqual([timesOf(second), timesOf(changed)]);
      expect(since.ids).toEqual([first.id]);
    },
  },
]);
