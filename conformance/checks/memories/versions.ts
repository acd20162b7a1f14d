import { expect } from 'vitest';
import type { Answer } from '../../transport/answer.js';
import type { Target } from '../../world/target.js';
import { defineChecks } from '../check.js';
import { expectOutcome, expectRefusal, expectTimestamp } from '../matchers.js';

interface Version {
  memoryId?: string;
  version: number;
  content: string;
  metadata?: Record<string, unknown>;
}

function list(target: Target, id: string, query: Record<string, unknown> = {}): Promise<Answer> {
  return target.send('GET', `/api/memories/${id}/versions`, undefined, { query });
}

function restore(target: Target, id: string, version: unknown): Promise<Answer> {
  return target.send('POST', `/api/memories/${id}/versions/${version}/restore`);
}

function versionsIn({ body }: Answer): Version[] {
  return Array.isArray(body.versions) ? (body.versions as Version[]) : [];
}

/** Versions of memories, which the contract adds to updates. */
export const versionChecks = defineChecks('4.5', [
  {
    id: 'version-of-a-change',
    level: 'should',
    requirement: 'A change keeps the content and the metadata that it replaces as a version.',
    async run(target) {
      const { id, content } = await target.stored({ metadata: { before: 1 } });
      await target.patch(id, { content: target.unique('after'), metadata: { after: 1 } });

      const answer = await list(target, id);

      expect(answer.status).toBe(200);
      expect(answer.body.versions).toMatchObject([{ version: 1, content, metadata: target.tagged({ before: 1 }) }]);
      for (const name of ['updatedAt', 'replacedAt']) {
        expectTimestamp((answer.body.versions as Record<string, unknown>[])[0]?.[name]);
      }
    },
  },
  {
    id: 'versions-newest-first',
    level: 'should',
    requirement: 'Versions are listed newest first, page by page with a cursor, each once.',
    async run(target) {
      const { id } = await target.stored({ metadata: { n: 0 } });
      for (const n of [1, 2, 3]) await target.patch(id, { metadata: { n } });

      const first = await list(target, id, { limit: 2 });
      const second = await list(target, id, { limit: 2, cursor: first.body.nextCursor });

      const numbers = [...versionsIn(first), ...versionsIn(second)].map(({ version }) => version);
      expect(numbers).toEqual([3, 2, 1]);
    },
  },
  {
    id: 'versions-exported',
    level: 'should',
    requirement:
      'The versions of all memories are read page by page, those of one memory in the order of their numbers.',
    async run(target) {
      const { id } = await target.stored({ metadata: { n: 0 } });
      for (const n of [1, 2]) await target.patch(id, { metadata: { n } });
      await target.delete(id);
      const found: Version[] = [];
      let cursor: unknown;
      do {
        const query = { limit: 500, ...(cursor !== undefined && { cursor }) };
        const page = await target.send('GET', '/api/memories/versions', undefined, { query });
        expect(page.status).toBe(200);
        found.push(...versionsIn(page).filter((version) => version.memoryId === id));
        expect(page.body.nextCursor).not.toBe(cursor ?? '');
        cursor = page.body.nextCursor;
      } while (cursor !== undefined);

      expect(found.map(({ version, metadata }) => [version, metadata?.n])).toEqual([
        [1, 0],
        [2, 1],
      ]);
    },
  },
  {
    id: 'version-restored',
    level: 'should',
    requirement: 'Restoring a version restores its content and metadata, and keeps the replaced state.',
    async run(target) {
      const { id, content } = await target.stored({ metadata: { before: 1 } });
      const after = target.unique('after');
      await target.patch(id, { content: after, metadata: { after: 1 } });

      expectOutcome(await restore(target, id, 1), 200, 'updated');

      expect((await target.get(id)).body).toMatchObject({ content, metadata: target.tagged({ before: 1 }) });
      expect((await target.get(id)).body.metadata).not.toHaveProperty('after');
      expect(versionsIn(await list(target, id)).map((version) => version.content)).toEqual([after, content]);
    },
  },
  {
    id: 'version-restore-conflict-409',
    level: 'should',
    requirement: 'A version whose content another memory has by now is rejected with 409 and the id of that.',
    async run(target) {
      const { id, content } = await target.stored();
      await target.patch(id, { content: target.unique('after') });
      const other = await target.stored({ content });

      const answer = await restore(target, id, 1);

      expectRefusal(answer, 409, 'content_conflict');
      expect(answer.body.id).toBe(other.id);
    },
  },
  {
    id: 'version-unknown-404',
    level: 'should',
    requirement: 'A version that a memory does not have gets 404, and so does one that is not a number.',
    async run(target) {
      const { id } = await target.stored();

      for (const version of [1, 0, 'x']) expectRefusal(await restore(target, id, version), 404);
    },
  },
  {
    id: 'versions-of-deleted-404',
    level: 'should',
    requirement: 'The versions of a soft-deleted memory are not found unless includeDeleted is true.',
    async run(target) {
      const { id } = await target.stored();
      await target.patch(id, { content: target.unique('after') });
      await target.delete(id);

      expectRefusal(await list(target, id), 404);
      expect(versionsIn(await list(target, id, { includeDeleted: true }))).toHaveLength(1);
    },
  },
  {
    id: 'versions-foreign-404',
    level: 'should',
    requirement: 'Versions of a memory of another organization can be neither listed nor restored.',
    needs: ['second-organization'],
    async run(target) {
      const token = target.secondToken;
      const { id } = await target.stored({}, { token });
      const content = target.unique('after');
      await target.patch(id, { content }, { token });

      for (const answer of [await list(target, id), await restore(target, id, 1)]) {
        expectRefusal(answer, 404);
        expect(answer.body).toEqual({ error: 'Not found' });
      }
      expect((await target.get(id, {}, { token })).body.content).toBe(content);
    },
  },
]);
