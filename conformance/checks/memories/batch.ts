import { expect } from 'vitest';
import { defineChecks } from '../check.js';
import { expectRefusal, expectUuid } from '../matchers.js';

const INVALID = { content: 7 };

/** POST /api/memories/batch: many writes in one request, each with its own outcome. */
export const batchChecks = defineChecks('4.3', [
  {
    id: 'batch-200',
    level: 'must',
    requirement: 'A batch gets 200, results and a summary of accepted and failed items.',
    async run(target) {
      const answer = await target.batch([target.fields(), target.fields()]);

      expect(answer.status).toBe(200);
      expect(answer.memories).toHaveLength(2);
      expect(answer.body.summary).toEqual({ ok: 2, failed: 0 });
    },
  },
  {
    id: 'batch-success-entry',
    level: 'must',
    requirement: 'The entry of an accepted item has its index and the fields that it would have alone.',
    async run(target) {
      const item = target.fields({ metadata: { kind: 'note' } });

      const [entry] = (await target.batch([item])).memories;

      expect(entry).toMatchObject({ index: 0, outcome: 'created', content: item.content, metadata: item.metadata });
      expectUuid(entry?.id);
    },
  },
  {
    id: 'batch-failure-entry',
    level: 'must',
    requirement: 'The entry of an item that failed is its index and an error of code and message.',
    async run(target) {
      const [entry] = (await target.batch([INVALID])).memories;

      expect(entry).toEqual({ index: 0, error: { code: expect.any(String), message: expect.any(String) } });
    },
  },
  {
    id: 'batch-indexes',
    level: 'must',
    requirement: 'Indexes count the items of the request from zero.',
    async run(target) {
      const answer = await target.batch([target.fields(), INVALID, target.fields()]);

      expect(answer.body.results).toMatchObject([{ index: 0 }, { index: 1, error: {} }, { index: 2 }]);
    },
  },
  {
    id: 'batch-summary-counts',
    level: 'must',
    requirement: 'The summary counts the accepted and the failed items.',
    async run(target) {
      const answer = await target.batch([INVALID, target.fields(), INVALID]);

      expect(answer.body.summary).toEqual({ ok: 1, failed: 2 });
    },
  },
  {
    id: 'batch-items-are-stored',
    level: 'must',
    requirement: 'Accepted items are memories like any other.',
    async run(target) {
      const project = target.word();
      const answer = await target.batch([1, 2, 3].map(() => target.fields({ metadata: { project } })));

      const listed = await target.read('recent', { filter: { project } });

      expect([...listed.ids].sort()).toEqual([...answer.ids].sort());
      expect(listed.ids).toHaveLength(3);
    },
  },
  {
    id: 'batch-deduplicates-plain-items',
    level: 'must',
    requirement: 'Items without an external key are de-duplicated like an ingest.',
    async run(target) {
      const { id, content } = await target.stored();

      const answer = await target.batch([target.fields({ content })]);

      expect(answer.memories).toMatchObject([{ id, outcome: 'deduplicated' }]);
    },
  },
  {
    id: 'batch-deduplicates-within',
    level: 'must',
    requirement: 'An item that repeats an earlier one of the same batch is recognised.',
    async run(target) {
      const item = target.fields();

      const [first, second] = (await target.batch([item, item])).memories;

      expect(first?.outcome).toBe('created');
      expect(second).toMatchObject({ id: first?.id, outcome: 'deduplicated' });
    },
  },
  {
    id: 'batch-upserts-keyed-items',
    level: 'must',
    requirement: 'Items with an external key are upserted.',
    async run(target) {
      const { id, externalKey } = await target.storedByKey();

      const answer = await target.batch([target.fields({ ...(externalKey && { externalKey }) })]);

      expect(answer.memories).toMatchObject([{ id, outcome: 'updated' }]);
    },
  },
  {
    id: 'batch-keyed-items-have-scopes',
    level: 'must',
    requirement: 'The scope of an item is part of its key.',
    async run(target) {
      const externalKey = target.word();
      const scopes = ['one', 'two'].map((source) => ({ source }));

      const answer = await target.batch(scopes.map((scope) => target.fields({ externalKey, scope })));

      expect(answer.memories).toMatchObject([{ outcome: 'created' }, { outcome: 'created' }]);
    },
  },
  {
    id: 'batch-deleted-key-fails',
    level: 'must',
    requirement: 'An item whose key belongs to a soft-deleted memory fails alone.',
    async run(target) {
      const { id, externalKey = '' } = await target.storedByKey();
      await target.delete(id);

      const answer = await target.batch([target.fields({ externalKey }), target.fields()]);

      expect(answer.body.summary).toEqual({ ok: 1, failed: 1 });
    },
  },
  {
    id: 'batch-continues-by-default',
    level: 'must',
    requirement: 'Without continueOnError a batch goes on after a failure.',
    async run(target) {
      const answer = await target.batch([INVALID, target.fields()]);

      expect(answer.body.summary).toEqual({ ok: 1, failed: 1 });
    },
  },
  {
    id: 'batch-stops-on-error',
    level: 'must',
    requirement: 'With continueOnError false, nothing after the first failure is tried.',
    async run(target) {
      const project = target.word();
      const items = [INVALID, target.fields({ metadata: { project } })];

      const answer = await target.batch(items, { continueOnError: false });
      const listed = await target.read('recent', { filter: { project } });

      expect(answer.body.summary).toEqual({ ok: 0, failed: 1 });
      expect(listed.ids).toEqual([]);
    },
  },
  {
    id: 'batch-keeps-what-went-before',
    level: 'must',
    requirement: 'With continueOnError false, items accepted before the failure stay stored.',
    async run(target) {
      const answer = await target.batch([target.fields(), INVALID, target.fields()], { continueOnError: false });
      const [first] = answer.memories;

      expect(answer.body.summary).toEqual({ ok: 1, failed: 1 });
      expect((await target.get(first?.id ?? '')).status).toBe(200);
    },
  },
  {
    id: 'batch-of-maximal-size',
    level: 'must',
    requirement: 'A batch of exactly the maximum number of items is accepted.',
    async run(target) {
      // One memory, and so many items that repeat it.
      const item = target.fields();
      const items = Array.from({ length: target.limits.batchItems }, () => item);

      const answer = await target.batch(items);

      expect(answer.body.summary).toEqual({ ok: items.length, failed: 0 });
    },
  },
  {
    id: 'batch-too-large-413',
    level: 'must',
    requirement: 'More items than the maximum are rejected with 413.',
    async run(target) {
      const items = Array.from({ length: target.limits.batchItems + 1 }, () => target.fields());

      expectRefusal(await target.batch(items), 413);
    },
  },
  {
    id: 'batch-too-large-stores-nothing',
    level: 'must',
    requirement: 'Nothing of a batch that is too large is stored.',
    async run(target) {
      const project = target.word();
      const item = target.fields({ metadata: { project } });
      const others = Array.from({ length: target.limits.batchItems }, () => target.fields());
      expectRefusal(await target.batch([item, ...others]), 413);

      const listed = await target.read('recent', { filter: { project } });

      expect(listed.ids).toEqual([]);
    },
  },
  {
    id: 'batch-items-are-required',
    level: 'must',
    requirement: 'A batch without a list of items is rejected with 422.',
    async run(target) {
      for (const body of [{}, { items: 'x' }, { items: { content: 'x' } }]) {
        expectRefusal(await target.send('POST', '/api/memories/batch', body), 422);
      }
    },
  },
  {
    id: 'batch-codes-are-those-of-one',
    level: 'should',
    requirement: 'A failed item has the code that it would have got alone, not_found where that answer has none.',
    async run(target) {
      const { id, externalKey = '' } = await target.storedByKey();
      await target.delete(id);
      const { content = '' } = await target.stored();

      const answer = await target.batch([
        target.fields({ externalKey }),
        target.fields({ externalKey: target.word(), content }),
        INVALID,
      ]);

      const codes = [{ code: 'not_found' }, { code: 'content_conflict' }, { code: 'validation_failed' }];
      expect(answer.body.results).toMatchObject(codes.map((error) => ({ error })));
    },
  },
]);
