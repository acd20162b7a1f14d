import { expect } from 'vitest';
import { defineChecks } from '../check.js';
import { expectOutcome, expectRefusal } from '../matchers.js';

const CHUNK = { chunkIndex: 0, chunkTotal: 2 };

/** The bounds of metadata, and the keys that mark chunks of a document. */
export const metadataChecks = defineChecks('2.2', [
  {
    id: 'metadata-is-an-object',
    level: 'must',
    requirement: 'Metadata that is not a JSON object is rejected with 422.',
    async run(target) {
      for (const metadata of ['text', 1, ['list'], true]) {
        const content = target.unique('wrong metadata');
        expectRefusal(await target.send('POST', '/api/memories', { content, metadata }), 422);
      }
    },
  },
  {
    id: 'metadata-is-optional',
    level: 'must',
    requirement: 'An ingest needs no metadata.',
    async run(target) {
      const answer = await target.send('POST', '/api/memories', { content: target.unique('bare') });
      // It has no tag, so the clean-up at the end of the run would miss it.
      await target.delete(answer.memory.id);

      expectOutcome(answer, 201, 'created');
      expect(answer.body.metadata).toEqual({});
    },
  },
  {
    id: 'metadata-large-integer-422',
    level: 'should',
    requirement: 'A whole number in metadata that is beyond 2^53, which JSON numbers round, is rejected with 422.',
    async run(target) {
      expectRefusal(await target.ingest({ metadata: { id: 2 ** 53 } }), 422);
    },
  },
  {
    id: 'metadata-no-external-key',
    level: 'must',
    requirement: 'Metadata with a key externalKey is rejected: it is a field of its own.',
    async run(target) {
      expectRefusal(await target.ingest({ metadata: { externalKey: target.word() } }), 422);
      expectRefusal(await target.upsert({ metadata: { externalKey: target.word() } }), 422);
    },
  },
  {
    id: 'metadata-no-subject-key',
    level: 'must',
    requirement: 'Metadata with a key subjectKey is rejected: it is a field of its own.',
    async run(target) {
      expectRefusal(await target.ingest({ metadata: { subjectKey: target.word() } }), 422);
      expectRefusal(await target.upsert({ metadata: { subjectKey: 1 } }), 422);
    },
  },
  {
    id: 'metadata-no-keys-update',
    level: 'must',
    requirement: 'An update cannot add externalKey or subjectKey to metadata either.',
    async run(target) {
      const { id } = await target.stored();

      expectRefusal(await target.patch(id, { metadata: { externalKey: 'x' } }), 422);
      expectRefusal(await target.patch(id, { metadata: { subjectKey: 'x' } }), 422);
    },
  },
  {
    id: 'metadata-no-keys-batch-item',
    level: 'must',
    requirement: 'A batch item with externalKey or subjectKey in its metadata fails.',
    async run(target) {
      const items = ['externalKey', 'subjectKey'].map((key) => target.fields({ metadata: { [key]: 'x' } }));

      const answer = await target.batch(items);

      expect(answer.body.summary).toEqual({ ok: 0, failed: 2 });
    },
  },
  {
    id: 'metadata-odd-keys',
    level: 'should',
    requirement: 'Keys with dots, quotes, dollars and other scripts are stored and found as they are.',
    async run(target) {
      const odd = { 'a.b': 1, $where: 'x', "it's": true, 'ключ "q"': 'y', 'a[0]': 2 };
      const { id } = await target.stored({ metadata: odd });

      const read = await target.get(id);

      expect(read.body.metadata).toEqual(target.tagged(odd));
    },
  },
  {
    id: 'metadata-no-proto',
    level: 'should',
    requirement: 'Metadata with a key __proto__ is rejected with 422.',
    async run(target) {
      const text = `{"content":"${target.unique('proto')}","metadata":{"__proto__":{"polluted":true}}}`;

      expectRefusal(await target.send('POST', '/api/memories', text), 422);
    },
  },
  {
    id: 'metadata-size-is-bounded',
    level: 'should',
    requirement: 'Metadata of more than 64 KiB is rejected with 422.',
    async run(target) {
      expectRefusal(await target.ingest({ metadata: { large: 'x'.repeat(70_000) } }), 422);
    },
  },
  {
    id: 'unknown-fields-are-named',
    level: 'should',
    requirement: 'An unknown field is rejected with 422 and named.',
    async run(target) {
      const answer = await target.send('POST', '/api/memories', { ...target.fields(), colour: 'red' });

      expectRefusal(answer, 422, 'validation_failed');
      expect(JSON.stringify(answer.body.details)).toContain('colour');
    },
  },
  {
    id: 'chunk-metadata-complete',
    level: 'must',
    requirement: 'The three chunk keys together are accepted and returned.',
    async run(target) {
      const chunk = { documentId: target.word(), ...CHUNK };

      const answer = await target.ingest({ metadata: chunk });

      expectOutcome(answer, 201, 'created');
      expect(answer.body.metadata).toMatchObject(chunk);
    },
  },
  {
    id: 'chunk-metadata-all-or-none',
    level: 'must',
    requirement: 'Any of the three chunk keys without the others is rejected with 422.',
    async run(target) {
      const whole = { documentId: target.word(), ...CHUNK };
      for (const missing of Object.keys(whole)) {
        const metadata = Object.fromEntries(Object.entries(whole).filter(([key]) => key !== missing));
        expectRefusal(await target.ingest({ metadata }), 422);
      }
      for (const [key, value] of Object.entries(whole)) {
        expectRefusal(await target.ingest({ metadata: { [key]: value } }), 422);
      }
    },
  },
  {
    id: 'chunk-index-in-range',
    level: 'must',
    requirement: 'A chunkIndex below zero, or not below chunkTotal, is rejected with 422.',
    async run(target) {
      for (const chunkIndex of [-1, 2, 3]) {
        const metadata = { documentId: target.word(), chunkIndex, chunkTotal: 2 };
        expectRefusal(await target.ingest({ metadata }), 422);
      }
    },
  },
  {
    id: 'chunk-last-index',
    level: 'must',
    requirement: 'chunkIndex counts from zero, so that the last is chunkTotal less one.',
    async run(target) {
      const documentId = target.word();
      for (const chunkIndex of [0, 2]) {
        expectOutcome(await target.ingest({ metadata: { documentId, chunkIndex, chunkTotal: 3 } }), 201, 'created');
      }
    },
  },
  {
    id: 'chunk-is-part-of-identity',
    level: 'should',
    requirement: 'Equal contents are two memories when they are two chunks; the same chunk again is a replay.',
    async run(target) {
      const { content } = target.fields();
      const chunk = { documentId: target.word(), ...CHUNK };
      const first = await target.ingest({ content, metadata: chunk });
      const next = await target.ingest({ content, metadata: { ...chunk, chunkIndex: 1 } });
      const elsewhere = await target.ingest({ content, metadata: { ...chunk, documentId: target.word() } });

      const again = await target.ingest({ content, metadata: chunk });

      for (const answer of [first, next, elsewhere]) expectOutcome(answer, 201, 'created');
      expectOutcome(again, 200, 'deduplicated');
      expect(again.body.id).toBe(first.body.id);
    },
  },
  {
    id: 'chunk-metadata-types',
    level: 'must',
    requirement: 'Chunk keys of other types are rejected with 422.',
    async run(target) {
      const right = { documentId: target.word(), ...CHUNK };
      for (const wrong of [{ documentId: 7 }, { chunkIndex: '0' }, { chunkIndex: 0.5 }, { chunkTotal: '2' }]) {
        expectRefusal(await target.ingest({ metadata: { ...right, ...wrong } }), 422);
      }
    },
  },
]);
