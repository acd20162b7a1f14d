import { expect } from 'vitest';
import type { Answer } from '../../transport/answer.js';
import { defineChecks } from '../check.js';

const AT_ONCE = 12;

async function atOnce(send: (index: number) => Promise<Answer>): Promise<Answer[]> {
  return Promise.all(Array.from({ length: AT_ONCE }, (_, index) => send(index)));
}

function outcomes(answers: readonly Answer[]): unknown[] {
  return answers.map(({ body }) => body.outcome).sort();
}

function oneAnd(outcome: string): string[] {
  return ['created', ...Array.from({ length: AT_ONCE - 1 }, () => outcome)].sort();
}

/** The guarantees for concurrent requests. */
export const raceChecks = defineChecks('3', [
  {
    id: 'race-of-equal-ingests',
    level: 'must',
    requirement: 'Equal concurrent ingests create one memory: one is created, the others are deduplicated.',
    async run(target) {
      const content = target.unique('race');

      const answers = await atOnce(() => target.ingest({ content }));

      expect(outcomes(answers)).toEqual(oneAnd('deduplicated'));
      expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    },
  },
  {
    id: 'race-of-equal-upserts',
    level: 'must',
    requirement: 'Equal concurrent upserts create one memory.',
    async run(target) {
      const externalKey = target.word();
      const content = target.unique('race by key');

      const answers = await atOnce(() => target.upsert({ externalKey, content }));

      expect(outcomes(answers)).toEqual(oneAnd('deduplicated'));
    },
  },
  {
    id: 'race-of-upserts-of-a-key',
    level: 'must',
    requirement: 'Concurrent upserts of one key leave one active memory, with the content of one of them.',
    async run(target) {
      const externalKey = target.word();
      const contents = Array.from({ length: AT_ONCE }, () => target.unique('race of contents'));

      const answers = await atOnce((index) => target.upsert({ externalKey, content: contents[index] ?? '' }));
      const listed = await target.read('export', { filter: { match: { externalKey } } });

      expect(outcomes(answers)).toEqual(oneAnd('updated'));
      expect(listed.memories).toHaveLength(1);
      expect(contents).toContain(listed.memories[0]?.content);
    },
  },
  {
    id: 'race-of-metadata-merges',
    level: 'must',
    requirement: 'Concurrent merges of metadata all take effect.',
    async run(target) {
      const { id, content } = await target.stored();

      await atOnce((index) => target.ingest({ content, metadata: { [`key${index}`]: index } }));

      const keys = Object.keys((await target.get(id)).memory.metadata);
      expect(keys.filter((key) => key.startsWith('key'))).toHaveLength(AT_ONCE);
    },
  },
  {
    id: 'race-of-deletes',
    level: 'should',
    requirement: 'One of several concurrent deletes gets 204, the others get 404.',
    async run(target) {
      const { id } = await target.stored();

      const answers = await Promise.all([1, 2, 3, 4].map(() => target.delete(id)));

      expect(answers.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404]);
    },
  },
  {
    id: 'race-of-writers-and-feed',
    level: 'must',
    requirement: 'A follower of the changes misses none of those that are written while it reads.',
    async run(target) {
      const project = target.word();
      const seen = new Set<string>();
      let cursor: unknown;
      const follow = async () => {
        for (const page of await target.pages('changes', { filter: { project }, limit: 3, cursor })) {
          for (const id of page.ids) seen.add(id);
          cursor = page.body.nextCursor ?? cursor;
        }
      };
      const write = async () => (await target.stored({ metadata: { project } })).id;

      const written: string[] = [];
      for (let round = 0; round < 4; round++) {
        const [ids] = await Promise.all([Promise.all([write(), write(), write(), write()]), follow()]);
        written.push(...ids);
      }
      await follow();

      expect([...seen].sort()).toEqual(written.sort());
    },
  },
]);
