import { expect } from 'vitest';
import { defineChecks } from '../check.js';
import { expectOutcome, expectRefusal } from '../matchers.js';

const UNKNOWN = '00000000-0000-7000-8000-000000000000';

/** PATCH and PUT /api/memories/{id}. */
export const updateChecks = defineChecks('4.5', [
  {
    id: 'update-200',
    level: 'must',
    requirement: 'An update gets 200 and the outcome updated.',
    async run(target) {
      const { id } = await target.stored();

      expectOutcome(await target.patch(id, { metadata: { seen: true } }), 200, 'updated');
    },
  },
  {
    id: 'update-replaces-content',
    level: 'must',
    requirement: 'content replaces the body.',
    async run(target) {
      const { id } = await target.stored();
      const content = target.unique('after');

      await target.patch(id, { content });

      expect((await target.get(id)).body.content).toBe(content);
    },
  },
  {
    id: 'update-keeps-the-rest',
    level: 'must',
    requirement: 'Fields that an update does not name stay unchanged.',
    async run(target) {
      const before = await target.storedByKey({ metadata: { kept: 1 } });

      await target.patch(before.id, { content: target.unique('after') });

      const { externalKey, metadata, createdAt } = before;
      expect((await target.get(before.id)).body).toMatchObject({ externalKey, metadata, createdAt });
    },
  },
  {
    id: 'update-is-embedded-again',
    level: 'must',
    requirement: 'Changed content is embedded again, so that search finds it by its new text.',
    async run(target) {
      const project = target.word();
      const { id, content: old } = await target.stored({ metadata: { project } });
      const content = target.unique('embedded anew');
      await target.patch(id, { content });

      const byNew = await target.search({ query: content, filter: { project } });
      const byOld = await target.search({ query: old, filter: { project } });

      expect(byNew.ids).toEqual([id]);
      expect(byNew.memories[0]?.score).toBeGreaterThan(byOld.memories[0]?.score ?? 0);
    },
  },
  {
    id: 'update-merges-metadata',
    level: 'must',
    requirement: 'Metadata is merged into the stored metadata, one level deep, unless metadataReplace is true.',
    async run(target) {
      const { id } = await target.stored({ metadata: { kept: 1, nested: { old: 1 } } });

      const answer = await target.patch(id, { metadata: { nested: { new: 1 } } });

      expect(answer.body.metadata).toEqual(target.tagged({ kept: 1, nested: { new: 1 } }));
    },
  },
  {
    id: 'update-replaces-metadata',
    level: 'must',
    requirement: 'With metadataReplace, metadata replaces the stored metadata.',
    async run(target) {
      const { id } = await target.stored({ metadata: { gone: 1 } });

      await target.patch(id, { metadata: target.tagged({ stays: 2 }), metadataReplace: true });

      expect((await target.get(id)).body.metadata).toEqual(target.tagged({ stays: 2 }));
    },
  },
  {
    id: 'update-sets-subject-key',
    level: 'must',
    requirement: 'subjectKey sets or replaces the subject key.',
    needs: ['subject-keys'],
    async run(target) {
      const { id } = await target.stored();
      for (const subjectKey of [await target.subjectKeys.unused(), await target.subjectKeys.unused()]) {
        const answer = await target.patch(id, { subjectKey });
        expectOutcome(answer, 200, 'updated');
        expect((await target.get(id)).body.subjectKey).toBe(subjectKey);
      }
    },
  },
  {
    id: 'update-of-nothing-422',
    level: 'should',
    requirement: 'An update with none of content, metadata and subjectKey is rejected with 422.',
    async run(target) {
      const { id } = await target.stored();

      for (const body of [{}, { metadataReplace: true }]) expectRefusal(await target.patch(id, body), 422);
    },
  },
  {
    id: 'update-by-put',
    level: 'must',
    requirement: 'PUT is an alias of PATCH: it changes the named fields and merges metadata.',
    async run(target) {
      const { id, content } = await target.stored({ metadata: { kept: 1 } });

      const answer = await target.send('PUT', `/api/memories/${id}`, { metadata: { added: 2 } });

      expectOutcome(answer, 200, 'updated');
      expect(answer.body).toMatchObject({ id, content, metadata: target.tagged({ kept: 1, added: 2 }) });
    },
  },
  {
    id: 'update-by-put-refuses-alike',
    level: 'must',
    requirement: 'PUT rejects what PATCH rejects: an unknown memory, and the content of another one.',
    async run(target) {
      const { content } = await target.stored();
      const { id } = await target.stored();
      const missing = '/api/memories/00000000-0000-7000-8000-000000000000';

      expectRefusal(await target.send('PUT', missing, { metadata: { seen: 1 } }), 404);
      expectRefusal(await target.send('PUT', `/api/memories/${id}`, { content }), 409);
    },
  },
  {
    id: 'update-content-conflict-409',
    level: 'must',
    requirement: 'Content of another memory gets 409.',
    async run(target) {
      const { content } = await target.stored();
      const { id } = await target.stored();

      expectRefusal(await target.patch(id, { content }), 409);
    },
  },
  {
    id: 'update-conflict-changes-nothing',
    level: 'must',
    requirement: 'A rejected update changes nothing, its metadata included.',
    async run(target) {
      const { content } = await target.stored();
      const { id, content: own, metadata } = await target.stored();

      await target.patch(id, { content, metadata: { added: 1 } });

      expect((await target.get(id)).body).toMatchObject({ content: own, metadata });
      expect((await target.get(id)).body.metadata).toEqual(metadata);
    },
  },
  {
    id: 'update-to-same-content',
    level: 'must',
    requirement: 'A memory may be updated with the content that it has.',
    async run(target) {
      const { id, content } = await target.stored();

      expectOutcome(await target.patch(id, { content }), 200, 'updated');
    },
  },
  {
    id: 'update-moves-updated-at',
    level: 'should',
    requirement: 'An update moves updatedAt forward and leaves createdAt.',
    async run(target) {
      const before = await target.stored();

      const after = (await target.patch(before.id, { metadata: { seen: 1 } })).memory;

      expect(after.createdAt).toBe(before.createdAt);
      expect(after.updatedAt > before.createdAt).toBe(true);
    },
  },
  {
    id: 'update-without-change-keeps-updated-at',
    level: 'should',
    requirement: 'An update that changes nothing leaves updatedAt unchanged.',
    async run(target) {
      const { id, content, updatedAt } = await target.stored();

      const after = (await target.patch(id, { content })).memory;

      expect(after.updatedAt).toBe(updatedAt);
    },
  },
  {
    id: 'update-unknown-404',
    level: 'should',
    requirement: 'Updating an unknown id, or one that is not a UUID, gets 404.',
    async run(target) {
      for (const id of [UNKNOWN, 'not-a-uuid']) expectRefusal(await target.patch(id, { metadata: {} }), 404);
    },
  },
  {
    id: 'update-deleted-404',
    level: 'should',
    requirement: 'Updating a soft-deleted memory gets 404.',
    async run(target) {
      const { id } = await target.deleted();

      expectRefusal(await target.patch(id, { metadata: { seen: 1 } }), 404);
    },
  },
  {
    id: 'update-content-null-422',
    level: 'should',
    requirement: 'Content of null is rejected with 422.',
    async run(target) {
      const { id } = await target.stored();

      expectRefusal(await target.patch(id, { content: null }), 422);
    },
  },
]);
