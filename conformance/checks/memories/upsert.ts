import { expect } from 'vitest';
import { defineChecks } from '../check.js';
import { expectOutcome, expectRefusal } from '../matchers.js';

/** PUT /api/memories: creates or updates the one memory of a key. */
export const upsertChecks = defineChecks('4.2', [
  {
    id: 'upsert-created-201',
    level: 'must',
    requirement: 'The first memory under a key gets 201 and the outcome created.',
    async run(target) {
      expectOutcome(await target.upsert(), 201, 'created');
    },
  },
  {
    id: 'upsert-returns-external-key',
    level: 'must',
    requirement: 'A memory with an external key is returned with it.',
    async run(target) {
      const externalKey = target.word();
      const { id } = await target.storedByKey({ externalKey });

      const read = await target.get(id);

      expect(read.body.externalKey).toBe(externalKey);
    },
  },
  {
    id: 'upsert-replay-200',
    level: 'must',
    requirement: 'The same content under the same key gets 200 and the outcome deduplicated.',
    async run(target) {
      const { externalKey = '', content, id } = await target.storedByKey();

      const replay = await target.upsert({ externalKey, content });

      expectOutcome(replay, 200, 'deduplicated');
      expect(replay.body.id).toBe(id);
    },
  },
  {
    id: 'upsert-replay-merges-metadata',
    level: 'must',
    requirement: 'The metadata of a repeated upsert is merged into the row.',
    async run(target) {
      const { externalKey = '', content } = await target.storedByKey({ metadata: { kept: 1, nested: { old: 1 } } });

      const replay = await target.upsert({ externalKey, content, metadata: { nested: { new: 1 } } });

      expect(replay.body.metadata).toEqual(target.tagged({ kept: 1, nested: { new: 1 } }));
    },
  },
  {
    id: 'upsert-updated-200',
    level: 'must',
    requirement: 'Other content under the same key and scope gets 200 and the outcome updated.',
    async run(target) {
      const { externalKey = '' } = await target.storedByKey();

      expectOutcome(await target.upsert({ externalKey }), 200, 'updated');
    },
  },
  {
    id: 'upsert-updated-same-memory',
    level: 'must',
    requirement: 'An update by key keeps the memory and replaces its content.',
    async run(target) {
      const { externalKey = '', id } = await target.storedByKey();
      const content = target.unique('replaced');

      const updated = await target.upsert({ externalKey, content });
      const read = await target.get(id);

      expect(updated.body.id).toBe(id);
      expect(read.body.content).toBe(content);
    },
  },
  {
    id: 'upsert-updated-merges-metadata',
    level: 'must',
    requirement: 'An update by key merges metadata into the row.',
    async run(target) {
      const { externalKey = '' } = await target.storedByKey({ metadata: { kept: 1 } });

      const updated = await target.upsert({ externalKey, metadata: { added: 2 } });

      expect(updated.body.metadata).toEqual(target.tagged({ kept: 1, added: 2 }));
    },
  },
  {
    id: 'upsert-updated-is-embedded-again',
    level: 'must',
    requirement: 'Changed content is embedded again, so that search finds it by its new text.',
    async run(target) {
      const project = target.word();
      const { externalKey = '', id, content: old } = await target.storedByKey({ metadata: { project } });
      const content = target.unique('embedded again');
      await target.upsert({ externalKey, content });

      const byNew = await target.search({ query: content, filter: { project } });
      const byOld = await target.search({ query: old, filter: { project } });

      expect(byNew.ids).toEqual([id]);
      expect(byNew.memories[0]?.score).toBeGreaterThan(byOld.memories[0]?.score ?? 0);
    },
  },
  {
    id: 'scope-in-records',
    level: 'should',
    requirement: 'Records, export and changes carry the parts of the scope that are set, and no scope where none is.',
    async run(target) {
      const project = target.word();
      const metadata = { project };
      const externalKey = target.word();
      const scopes = [{ source: 's', project: 'p' }, { source: 's' }, { project: 'p' }, undefined];
      for (const scope of scopes) await target.storedByKey({ externalKey, metadata, ...(scope && { scope }) });

      const found = { filter: { project } };
      const recent = await target.read('recent', found);
      const exported = await target.read('export', found);
      const changes = await target.read('changes', { since: '1970-01-01T00:00:00Z', ...found });

      for (const { memories } of [recent, exported, changes]) {
        const held = memories.map(({ scope }) => scope);
        expect(held).toHaveLength(scopes.length);
        expect(held).toEqual(expect.arrayContaining(scopes));
      }
    },
  },
  {
    id: 'upsert-scope-source',
    level: 'must',
    requirement: 'The same external key in two scope sources is two memories.',
    async run(target) {
      const externalKey = target.word();
      await target.storedByKey({ externalKey, scope: { source: 'one', project: 'p' } });

      expectOutcome(await target.upsert({ externalKey, scope: { source: 'two', project: 'p' } }), 201, 'created');
    },
  },
  {
    id: 'upsert-scope-project',
    level: 'must',
    requirement: 'The same external key in two scope projects is two memories.',
    async run(target) {
      const externalKey = target.word();
      await target.storedByKey({ externalKey, scope: { source: 's', project: 'one' } });

      expectOutcome(await target.upsert({ externalKey, scope: { source: 's', project: 'two' } }), 201, 'created');
    },
  },
  {
    id: 'upsert-scope-absent',
    level: 'must',
    requirement: 'No scope counts as a scope of its own, in which a key is unique too.',
    async run(target) {
      const externalKey = target.word();
      const { id } = await target.storedByKey({ externalKey });

      const scoped = await target.upsert({ externalKey, scope: { source: 's' } });
      const again = await target.upsert({ externalKey });

      expectOutcome(scoped, 201, 'created');
      expectOutcome(again, 200, 'updated');
      expect(again.body.id).toBe(id);
    },
  },
  {
    id: 'upsert-scope-same',
    level: 'must',
    requirement: 'The same external key and scope is one memory.',
    async run(target) {
      const keyed = { externalKey: target.word(), scope: { source: 's', project: 'p' } };
      const { id } = await target.storedByKey(keyed);

      const again = await target.upsert(keyed);

      expectOutcome(again, 200, 'updated');
      expect(again.body.id).toBe(id);
    },
  },
  {
    id: 'upsert-deleted-404',
    level: 'must',
    requirement: 'A key that belongs to a soft-deleted memory gets 404.',
    async run(target) {
      const { id, externalKey = '' } = await target.storedByKey();
      await target.delete(id);

      const answer = await target.upsert({ externalKey });

      expectRefusal(answer, 404);
      expect(answer.body).toEqual({ error: 'Not found' });
    },
  },
  {
    id: 'upsert-content-conflict-409',
    level: 'must',
    requirement: 'Content of another memory gets 409.',
    async run(target) {
      const { content } = await target.storedByKey();

      expectRefusal(await target.upsert({ content }), 409);
    },
  },
  {
    id: 'upsert-content-conflict-on-change-409',
    level: 'must',
    requirement: 'Changing the content of a key to that of another memory gets 409 and changes nothing.',
    async run(target) {
      const { content } = await target.storedByKey();
      const { externalKey = '', id, content: before } = await target.storedByKey();

      const answer = await target.upsert({ externalKey, content });

      expectRefusal(answer, 409);
      expect((await target.get(id)).body.content).toBe(before);
    },
  },
  {
    id: 'upsert-no-near-duplicates',
    level: 'must',
    requirement: 'Near-duplicates are not merged on upsert.',
    async run(target) {
      const [one, other] = target.nearDuplicates();
      const first = await target.storedByKey({ content: one });

      const second = await target.upsert({ content: other });

      expectOutcome(second, 201, 'created');
      expect(second.body.id).not.toBe(first.id);
    },
  },
  {
    id: 'upsert-key-is-required',
    level: 'must',
    requirement: 'An upsert without an external key is rejected with 422.',
    async run(target) {
      expectRefusal(await target.send('PUT', '/api/memories', target.fields()), 422);
      expectRefusal(await target.send('PUT', '/api/memories', { ...target.fields(), externalKey: 7 }), 422);
    },
  },
  {
    id: 'upsert-content-is-required',
    level: 'must',
    requirement: 'An upsert without content is rejected with 422.',
    async run(target) {
      const externalKey = target.word();

      expectRefusal(await target.send('PUT', '/api/memories', { externalKey }), 422);
    },
  },
  {
    id: 'upsert-scope-is-an-object',
    level: 'must',
    requirement: 'A scope that is not an object of source and project is rejected with 422.',
    async run(target) {
      for (const scope of ['text', 1, { source: 7 }, { team: 'x' }]) {
        const body = { ...target.fields(), externalKey: target.word(), scope };
        expectRefusal(await target.send('PUT', '/api/memories', body), 422);
      }
    },
  },
  {
    id: 'upsert-is-one-active-row',
    level: 'must',
    requirement: 'However often a key is written, it has one active memory.',
    async run(target) {
      const externalKey = target.word();
      const { id } = await target.storedByKey({ externalKey });
      await target.upsert({ externalKey });
      await target.upsert({ externalKey });

      const listed = await target.read('export', { filter: { match: { externalKey } } });

      expect(listed.ids).toEqual([id]);
    },
  },
]);
