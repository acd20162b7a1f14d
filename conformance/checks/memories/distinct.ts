import { expect } from 'vitest';
import type { Answer } from '../../transport/answer.js';
import type { Fields } from '../../world/memory-requests.js';
import type { Target } from '../../world/target.js';
import { defineChecks } from '../check.js';
import { expectOutcome, expectRefusal } from '../matchers.js';

type Dedupe = 'on' | 'off';

function put(target: Target, fields: Fields & { dedupe?: Dedupe; restoreDeleted?: boolean }): Promise<Answer> {
  return target.send('PUT', '/api/memories', target.fields(fields));
}

function post(target: Target, fields: Fields & { dedupe?: Dedupe }): Promise<Answer> {
  return target.send('POST', '/api/memories', target.fields(fields));
}

/** Memories that take no part in de-duplication, and keys that bring a deleted memory back. */
export const distinctChecks = defineChecks('4.2', [
  {
    id: 'dedupe-off-two-keys',
    level: 'should',
    requirement: 'With dedupe off, equal content under two keys is two memories, and a repeated write is a replay.',
    async run(target) {
      const content = target.unique('two keys');
      const keyed = (externalKey: string) => put(target, { content, externalKey, dedupe: 'off' });
      const [one, other] = [target.word(), target.word()];

      const [first, second] = [await keyed(one), await keyed(other)];
      const replay = await keyed(other);

      expectOutcome(first, 201, 'created');
      expectOutcome(second, 201, 'created');
      expect(second.body.id).not.toBe(first.body.id);
      expectOutcome(replay, 200, 'deduplicated');
      expect(replay.body.id).toBe(second.body.id);
    },
  },
  {
    id: 'dedupe-off-is-not-merged',
    level: 'should',
    requirement: 'A memory written with dedupe off is merged with no other, and no later write is merged into it.',
    async run(target) {
      const content = target.unique('not merged');

      const distinct = await post(target, { content, dedupe: 'off' });
      const ordinary = await target.ingest({ content });
      const again = await target.ingest({ content });

      expectOutcome(distinct, 201, 'created');
      expectOutcome(ordinary, 201, 'created');
      expectOutcome(again, 200, 'deduplicated');
      expect(again.body.id).toBe(ordinary.body.id);
      expectOutcome(await post(target, { content, dedupe: 'off' }), 201, 'created');
    },
  },
  {
    id: 'dedupe-off-is-shown',
    level: 'should',
    requirement: 'A memory written with dedupe off has distinct, which other memories lack.',
    async run(target) {
      const distinct = await post(target, { dedupe: 'off' });
      const ordinary = await target.stored();

      expect((await target.get(String(distinct.body.id))).body).toMatchObject({ distinct: true });
      expect((await target.get(ordinary.id)).body).not.toHaveProperty('distinct');
    },
  },
  {
    id: 'dedupe-on-conflict-409',
    level: 'should',
    requirement: 'A memory keeps dedupe off until a write says on, which gets 409 if another memory has its content.',
    async run(target) {
      const content = target.unique('on again');
      const externalKey = target.word();
      await put(target, { content, externalKey, dedupe: 'off' });
      const { id } = await target.stored({ content });

      const kept = await put(target, { content, externalKey });
      const refused = await put(target, { content, externalKey, dedupe: 'on' });

      expectOutcome(kept, 200, 'deduplicated');
      expectRefusal(refused, 409, 'content_conflict');
      expect(refused.body.id).toBe(id);
    },
  },
  {
    id: 'dedupe-off-is-restored',
    level: 'should',
    requirement: 'A memory with dedupe off is restored beside a memory with its content.',
    async run(target) {
      const content = target.unique('restored');
      const { body } = await post(target, { content, dedupe: 'off' });
      await target.delete(String(body.id));
      await target.stored({ content });

      const restored = await target.send('POST', `/api/memories/${body.id}/restore`);

      expect(restored.status).toBe(200);
      expect(restored.body).toMatchObject({ id: body.id, distinct: true });
    },
  },
  {
    id: 'dedupe-off-is-imported',
    level: 'should',
    requirement: 'An import stores the distinct memories of an export beside memories with equal content.',
    async run(target) {
      const project = target.word();
      const item = { ...target.fields({ metadata: { project } }), distinct: true };

      await target.send('POST', '/api/memories/import', { items: [item, item] });

      const { memories } = await target.read('export', { filter: { project } });
      expect(memories).toMatchObject([item, item]);
    },
  },
  {
    id: 'upsert-restores-deleted',
    level: 'should',
    requirement: 'With restoreDeleted, an upsert restores the deleted memory of its key and updates it.',
    async run(target) {
      const { id, externalKey = '' } = await target.storedByKey({ metadata: { kept: 1 } });
      await target.delete(id);
      const content = target.unique('restored by key');

      const restored = await put(target, { externalKey, content, metadata: { added: 2 }, restoreDeleted: true });

      expectOutcome(restored, 200, 'updated');
      expect(restored.body).toMatchObject({ id, content, metadata: { kept: 1, added: 2 } });
      expect((await target.get(id)).body).toMatchObject({ id, content });
    },
  },
]);
