import { randomInt } from 'node:crypto';
import { expect } from 'vitest';
import type { Answer } from '../../transport/answer.js';
import type { Sending } from '../../transport/request.js';
import type { Target } from '../../world/target.js';
import { defineChecks } from '../check.js';
import { expectRefusal, expectUuid } from '../matchers.js';

/** Returns a time long ago. No other check has it: the service moves a time of creation that another memory has. */
function longAgo(): string {
  const at = new Date(Date.UTC(2019, 0, 1) + randomInt(365 * 86_400_000)).toISOString();
  return at.replace('Z', `${randomInt(100, 1_000)}Z`);
}

function importItems(target: Target, items: readonly object[], sending?: Sending): Promise<Answer> {
  return target.send('POST', '/api/memories/import', { items }, sending);
}

function resultsOf({ body }: Answer): { id?: string; outcome?: string; error?: { code?: string } }[] {
  return body.results as ReturnType<typeof resultsOf>;
}

/** POST /api/memories/import: memories with their original ids and times. */
export const importChecks = defineChecks('4.3', [
  {
    id: 'import-keeps-times',
    level: 'should',
    requirement: 'A memory that is imported keeps its time of creation, and is the last of the change feed.',
    async run(target) {
      const project = target.word();
      const fields = target.fields({ metadata: { project } });
      const createdAt = longAgo();
      await target.stored({ metadata: { project } });

      const [result] = resultsOf(await importItems(target, [{ ...fields, createdAt }]));

      expect(result).toMatchObject({ outcome: 'created' });
      expectUuid(result?.id);
      const exported = await target.read('export', { filter: { project } });
      expect(exported.memories[0]).toMatchObject({ id: result?.id, content: fields.content, createdAt });
      const changes = await target.read('changes', { since: '2020-01-01T00:00:00Z', filter: { project } });
      expect(changes.memories.at(-1)?.id).toBe(result?.id);
    },
  },
  {
    id: 'import-again-changes-nothing',
    level: 'should',
    requirement: 'Importing the same again is answered with present, and changes nothing.',
    async run(target) {
      const item = { ...target.fields(), createdAt: longAgo() };
      const [first] = resultsOf(await importItems(target, [item]));

      const [again] = resultsOf(await importItems(target, [{ ...item, metadata: { other: 1 } }]));

      expect(again).toMatchObject({ id: first?.id, outcome: 'present' });
      expect((await target.get(first?.id ?? '')).body.metadata).toEqual(item.metadata);
    },
  },
  {
    id: 'import-refuses-conflicts-alone',
    level: 'should',
    requirement: 'A key that a memory of other content has is a conflict; the other items are stored.',
    async run(target) {
      const { externalKey } = await target.storedByKey();

      const results = resultsOf(await importItems(target, [target.fields({ externalKey }), target.fields()]));

      expect(results[0]?.error?.code).toBe('external_key_conflict');
      expect(results[1]?.outcome).toBe('created');
    },
  },
  {
    id: 'import-not-in-the-future',
    level: 'should',
    requirement: 'A time of creation in the future is rejected.',
    async run(target) {
      const [result] = resultsOf(
        await importItems(target, [{ ...target.fields(), createdAt: '2999-01-01T00:00:00Z' }]),
      );

      expect(result?.error?.code).toBe('validation_failed');
    },
  },
  {
    id: 'import-keeps-versions',
    level: 'should',
    requirement:
      'Versions of a memory are imported with their numbers and times; importing them again changes nothing.',
    async run(target) {
      const id = crypto.randomUUID();
      const versions = [2, 3].map((version) => ({
        memoryId: id,
        version,
        content: target.unique(`state ${version}`),
        metadata: target.tagged({ version }),
        updatedAt: `2021-03-0${version}T00:00:00.000000Z`,
        replacedAt: `2021-03-0${version + 1}T00:00:00.000000Z`,
      }));
      // Later than the versions.
      const createdAt = '2021-03-04T05:06:07.000008Z';
      const items = [{ ...target.fields(), id, createdAt, updatedAt: createdAt }, ...versions];

      const first = resultsOf(await importItems(target, items));
      const again = resultsOf(await importItems(target, items));

      expect(first.map(({ outcome }) => outcome)).toEqual(['created', 'created', 'created']);
      expect(again.map(({ outcome }) => outcome)).toEqual(['present', 'present', 'present']);
      const listed = await target.send('GET', `/api/memories/${id}/versions`);
      expect(listed.body.versions).toEqual(versions.toReversed().map(({ memoryId, ...version }) => version));
    },
  },
  {
    id: 'import-needs-admin',
    level: 'should',
    requirement: 'An import needs memory:admin, and rejects others with 403 and the code ability_denied.',
    needs: ['limited-tokens'],
    async run(target) {
      for (const ability of ['memory:ingest', 'memory:search'] as const) {
        const token = await target.limitedToken(ability);
        expectRefusal(await importItems(target, [target.fields()], { token }), 403, 'ability_denied');
      }
    },
  },
]);
