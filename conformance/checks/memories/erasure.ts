import { expect } from 'vitest';
import type { Answer } from '../../transport/answer.js';
import { PrerequisiteError } from '../../transport/prerequisite.js';
import type { Target } from '../../world/target.js';
import { defineChecks } from '../check.js';
import { expectRefusal, expectTimestamp } from '../matchers.js';

const ERASURES = '/api/organization/subject-erasures';
const UNKNOWN = '00000000-0000-7000-8000-000000000000';
const SHA_256 = /^[0-9a-f]{64}$/;

function erase(target: Target, subjectKey: string | number): Promise<Answer> {
  return target.send('POST', ERASURES, { subjectKey });
}

/** Erases a subject and returns the receipt. */
async function erased(target: Target, subjectKey: string | number): Promise<Answer> {
  const asked = await erase(target, subjectKey);
  if (asked.status !== 202) throw new PrerequisiteError(`erasing a subject was answered with ${asked.status}`);
  return target.eventually(async () => {
    const answer = await target.send('GET', `${ERASURES}/${asked.body.id}`);
    return answer.body.status === 'done' ? answer : undefined;
  }, 'the end of an erasure');
}

/** Erasure of a subject, which the contract adds to deletion. */
export const erasureChecks = defineChecks('4.6', [
  {
    id: 'erasure-202',
    level: 'should',
    requirement: 'Erasing a subject gets 202 and an erasure that can be read until it is done.',
    needs: ['subject-keys', 'management'],
    async run(target) {
      const subjectKey = await target.subjectKeys.unused();

      const asked = await erase(target, subjectKey);

      expect(asked.status, asked.text.slice(0, 300)).toBe(202);
      const read = await target.send('GET', `${ERASURES}/${asked.body.id}`);
      expect(read.status).toBe(200);
      expect(read.body.id).toBe(asked.body.id);
    },
  },
  {
    id: 'erasure-removes-memories',
    level: 'should',
    requirement: 'An erasure removes the memories of the subject, soft-deleted ones too, and no memory of another.',
    needs: ['subject-keys', 'management'],
    async run(target) {
      const subjectKey = await target.subjectKeys.unused();
      const active = await target.stored({ subjectKey });
      const deleted = await target.deleted({ subjectKey });
      const other = await target.stored({ subjectKey: await target.subjectKeys.unused() });

      await erased(target, subjectKey);

      for (const { id } of [active, deleted]) expectRefusal(await target.get(id, { includeDeleted: true }), 404);
      expect((await target.get(other.id)).status).toBe(200);
    },
  },
  {
    id: 'erasure-removes-versions',
    level: 'should',
    requirement: 'An erasure removes versions about the subject of memories that are about another subject by now.',
    needs: ['subject-keys', 'management'],
    async run(target) {
      const [subjectKey, another] = [await target.subjectKeys.unused(), await target.subjectKeys.unused()];
      const { id } = await target.stored({ subjectKey });
      await target.patch(id, { subjectKey: another });

      await erased(target, subjectKey);

      const answer = await target.send('GET', `/api/memories/${id}/versions`);
      expect(answer.status).toBe(200);
      expect(answer.body.versions).toEqual([]);
    },
  },
  {
    id: 'erasure-receipt',
    level: 'should',
    requirement: 'The receipt of an erasure has counts, a time and a digest, and does not name the subject.',
    needs: ['subject-keys', 'management'],
    async run(target) {
      const subjectKey = await target.subjectKeys.unused();
      await target.stored({ subjectKey });

      const { body } = await erased(target, subjectKey);

      expect(body.counts).toMatchObject({ memories: 1 });
      expectTimestamp(body.finishedAt);
      expect(body.digest).toMatch(SHA_256);
      expect(body).not.toHaveProperty('subjectKey');
    },
  },
  {
    id: 'erasure-then-accepts',
    level: 'should',
    requirement: 'After an erasure new memories about the subject are stored again.',
    needs: ['subject-keys', 'management'],
    async run(target) {
      const subjectKey = await target.subjectKeys.unused();
      const content = target.unique('about a subject');
      await target.stored({ subjectKey, content });
      await erased(target, subjectKey);

      const again = await target.ingest({ subjectKey, content });

      expect(again.status, again.text.slice(0, 300)).toBe(201);
    },
  },
  {
    id: 'erasure-unknown-404',
    level: 'should',
    requirement: 'An erasure that does not exist gets 404.',
    needs: ['management'],
    async run(target) {
      for (const id of [UNKNOWN, 'not-a-uuid']) {
        expectRefusal(await target.send('GET', `${ERASURES}/${id}`), 404);
      }
    },
  },
]);
