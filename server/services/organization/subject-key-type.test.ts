import { describe, expect, test } from 'vitest';
import type { Caller } from '../../domain/account/caller.js';
import { NO_FILTER } from '../../domain/filter/filter.js';
import type { SubjectKey, SubjectKeyType } from '../../domain/memory/memory.js';
import { type TestWorld, testWorld } from '../../testing/app/test-deps.js';
import { ingestBatch } from '../writing/batch.js';
import { ingest } from '../writing/ingest.js';
import { updateMemory } from '../writing/update.js';
import { upsert } from '../writing/upsert.js';
import { readSettings, updateSettings } from './settings.js';

interface Writing {
  deps: TestWorld['deps'];
  caller: Caller;
  /** Id of a memory without a subject key. */
  id: string;
  subjectKey: SubjectKey;
}

const WRITES: Readonly<Record<string, (writing: Writing) => Promise<unknown>>> = {
  ingest: ({ deps, caller, subjectKey }) => ingest(deps, caller, { content: 'raced', subjectKey }),
  upsert: ({ deps, caller, subjectKey }) => upsert(deps, caller, { externalKey: 'k', content: 'raced', subjectKey }),
  update: ({ deps, caller, id, subjectKey }) => updateMemory(deps, caller, id, { subjectKey }),
  batch: async ({ deps, caller, subjectKey }) => {
    const [result] = await ingestBatch(deps, caller, [{ input: { content: 'raced', subjectKey } }], true);
    if (result && 'error' in result) throw result.error;
  },
};

const CHANGES: readonly [SubjectKeyType, SubjectKeyType, SubjectKey][] = [
  ['integer', 'string', 7],
  ['string', 'integer', '7'],
];

describe.each(Object.entries(WRITES))('a change of the subject key type in parallel with %s', (_, write) => {
  describe.each(CHANGES)('from %s to %s', (from, to, subjectKey) => {
    test.each(['the change', 'the write'])('lets only one of the two succeed, %s first', async (first) => {
      const { deps, caller } = await testWorld();
      await updateSettings(deps, caller, { subjectKeyType: from });
      const { memory } = await ingest(deps, caller, { content: 'no subject' });
      const change = () => updateSettings(deps, caller, { subjectKeyType: to });
      const writing = () => write({ deps, caller, id: memory.id, subjectKey });
      const racers = first === 'the change' ? [change, writing] : [writing, change];

      const outcomes = await Promise.allSettled(racers.map((race) => race()));

      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
        reason: { code: expect.stringMatching(/^subject_key_(type_in_use|invalid)$/) },
      });
      await expectOneType(deps, caller);
    });
  });

  test('leaves no subject key of another type than the settings', async () => {
    const { deps, caller } = await testWorld();
    await updateSettings(deps, caller, { subjectKeyType: 'integer' });
    const { memory } = await ingest(deps, caller, { content: 'no subject' });

    await Promise.allSettled(
      Array.from({ length: 24 }, (__, turn) => {
        const subjectKey = turn % 2 === 0 ? turn : `s${turn}`;
        if (turn % 3 > 0) return write({ deps, caller, id: memory.id, subjectKey });
        return updateSettings(deps, caller, { subjectKeyType: turn % 2 === 0 ? 'string' : 'integer' });
      }),
    );

    await expectOneType(deps, caller);
  });
});

async function expectOneType(deps: TestWorld['deps'], { organizationId }: Caller): Promise<void> {
  const { subjectKeyType } = await readSettings(deps, { organizationId });
  const everything = { filter: NO_FILTER, includeDeleted: true, order: 'oldest', limit: 100 } as const;
  const memories = await deps.store.memories.list(organizationId, everything);
  const types = memories.flatMap(({ subjectKey }) => (subjectKey === undefined ? [] : [typeof subjectKey]));

  expect(new Set([...types, subjectKeyType === 'integer' ? 'number' : 'string']).size).toBe(1);
}
