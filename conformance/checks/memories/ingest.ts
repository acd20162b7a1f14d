import { expect } from 'vitest';
import { defineChecks } from '../check.js';
import { expectOutcome, expectRefusal, expectTimestamp, expectUuid } from '../matchers.js';

/** POST /api/memories: new memories and duplicates. */
export const ingestChecks = defineChecks('4.1', [
  {
    id: 'ingest-created-201',
    level: 'must',
    requirement: 'New content is stored and answered with 201 and the outcome created.',
    async run(target) {
      const answer = await target.ingest();

      expectOutcome(answer, 201, 'created');
    },
  },
  {
    id: 'ingest-is-stored',
    level: 'must',
    requirement: 'A created memory can be read by its id.',
    async run(target) {
      const memory = await target.stored();

      const read = await target.get(memory.id);

      expect(read.status).toBe(200);
      expect(read.body).toMatchObject({ id: memory.id, content: memory.content });
    },
  },
  {
    id: 'ingest-returns-content',
    level: 'must',
    requirement: 'The answer has the content that was sent.',
    async run(target) {
      const content = target.unique('returned');

      const answer = await target.ingest({ content });

      expect(answer.body.content).toBe(content);
    },
  },
  {
    id: 'ingest-returns-metadata',
    level: 'must',
    requirement: 'Metadata is free-form JSON and is returned as it was sent, with nested values.',
    async run(target) {
      const metadata = target.tagged({
        text: 'x',
        number: 1.5,
        flag: false,
        nothing: null,
        nested: { list: [1, 'a'] },
      });

      const answer = await target.ingest({ metadata });

      expect(answer.body.metadata).toEqual(metadata);
    },
  },
  {
    id: 'ingest-id-is-uuid',
    level: 'must',
    requirement: 'A memory is identified by a UUID.',
    async run(target) {
      const answer = await target.ingest();

      expectUuid(answer.body.id);
    },
  },
  {
    id: 'ingest-id-is-new',
    level: 'must',
    requirement: 'Each new memory has an id of its own.',
    async run(target) {
      const one = await target.stored();
      const other = await target.stored();

      expect(other.id).not.toBe(one.id);
    },
  },
  {
    id: 'ingest-created-at-iso',
    level: 'must',
    requirement: 'createdAt is an ISO 8601 time.',
    async run(target) {
      const answer = await target.ingest();

      expectTimestamp(answer.body.createdAt);
    },
  },
  {
    id: 'ingest-keys-absent-when-unset',
    level: 'must',
    requirement: 'externalKey and subjectKey are absent if they were not set.',
    async run(target) {
      const answer = await target.ingest();

      expect(answer.body).not.toHaveProperty('externalKey');
      expect(answer.body).not.toHaveProperty('subjectKey');
    },
  },
  {
    id: 'ingest-replay-200',
    level: 'must',
    requirement: 'The same content again gets 200 and the outcome deduplicated.',
    async run(target) {
      const { content } = await target.stored();

      const replay = await target.ingest({ content });

      expectOutcome(replay, 200, 'deduplicated');
    },
  },
  {
    id: 'ingest-replay-same-memory',
    level: 'must',
    requirement: 'A replay is answered with the memory that is there, and no second one is stored.',
    async run(target) {
      const project = target.word();
      const first = await target.stored({ metadata: { project } });

      const replay = await target.ingest({ content: first.content, metadata: { project } });
      const listed = await target.read('recent', { filter: { project } });

      expect(replay.body.id).toBe(first.id);
      expect(listed.ids).toEqual([first.id]);
    },
  },
  {
    id: 'ingest-replay-merges-metadata',
    level: 'must',
    requirement: 'The metadata of a replay is merged into the stored metadata, one level deep.',
    async run(target) {
      const first = await target.stored({ metadata: { kept: 1, nested: { old: 1 } } });

      const replay = await target.ingest({ content: first.content, metadata: { nested: { new: 1 } } });

      expect(replay.body.metadata).toEqual(target.tagged({ kept: 1, nested: { new: 1 } }));
    },
  },
  {
    id: 'ingest-replay-merge-is-stored',
    level: 'must',
    requirement: 'Later reads return the merged metadata of a replay.',
    async run(target) {
      const first = await target.stored({ metadata: { kept: 1 } });
      await target.ingest({ content: first.content, metadata: { added: 2 } });

      const read = await target.get(first.id);

      expect(read.body.metadata).toEqual(target.tagged({ kept: 1, added: 2 }));
    },
  },
  {
    id: 'ingest-replay-dedupe-exact',
    level: 'must',
    requirement: 'dedupe reports an exact repetition.',
    async run(target) {
      const { content } = await target.stored();

      const replay = await target.ingest({ content });

      expect(replay.body.dedupe).toBe('exact');
    },
  },
  {
    id: 'ingest-new-has-no-dedupe',
    level: 'must',
    requirement: 'dedupe is absent if nothing was merged.',
    async run(target) {
      const answer = await target.ingest();

      expect(answer.body).not.toHaveProperty('dedupe');
    },
  },
  {
    id: 'ingest-near-duplicate-merged',
    level: 'should',
    requirement: 'Text that nearly repeats a memory gets 200, the outcome merged_metadata, and its dedupe.',
    needs: ['near-duplicates'],
    async run(target) {
      const [one, other] = target.nearDuplicates();
      const first = await target.stored({ content: one });

      const near = await target.ingest({ content: other });

      expectOutcome(near, 200, 'merged_metadata');
      expect(near.body.id).toBe(first.id);
      expect(['exact', 'semantic']).toContain(near.body.dedupe);
    },
  },
  {
    id: 'ingest-near-duplicate-merges-metadata',
    level: 'should',
    requirement: 'The metadata of a near-duplicate is merged into the memory that it repeats.',
    needs: ['near-duplicates'],
    async run(target) {
      const [one, other] = target.nearDuplicates();
      await target.stored({ content: one, metadata: { kept: 1 } });

      const near = await target.ingest({ content: other, metadata: { added: 2 } });

      expect(near.body.metadata).toEqual(target.tagged({ kept: 1, added: 2 }));
    },
  },
  {
    id: 'ingest-near-duplicate-keeps-content',
    level: 'should',
    requirement: 'A near-duplicate leaves the text of the memory as it is.',
    needs: ['near-duplicates'],
    async run(target) {
      const [one, other] = target.nearDuplicates();
      const first = await target.stored({ content: one });

      await target.ingest({ content: other });

      const read = await target.get(first.id);
      expect(read.body.content).toBe(one);
    },
  },
  {
    id: 'ingest-differing-fact-kept',
    level: 'should',
    requirement: 'Two texts that differ in a number are two memories, however similar they are.',
    async run(target) {
      const text = target.unique('the meeting of');
      const first = await target.stored({ content: `${text} is at 3 o'clock` });

      const second = await target.ingest({ content: `${text} is at 4 o'clock` });

      expectOutcome(second, 201, 'created');
      expect(second.body.id).not.toBe(first.id);
    },
  },
  {
    id: 'ingest-external-key-conflict-409',
    level: 'must',
    requirement: 'An external key and scope that belong to an active memory with other content get 409.',
    async run(target) {
      const scope = { source: target.word(), project: target.word() };
      const { externalKey = '' } = await target.storedByKey({ scope });

      const answer = await target.ingest({ externalKey, scope });

      expectRefusal(answer, 409);
    },
  },
  {
    id: 'ingest-external-key-conflict-code',
    level: 'should',
    requirement:
      'The conflict of an external key has the code external_key_conflict and the id of the memory in the way.',
    async run(target) {
      const { id, externalKey = '' } = await target.storedByKey();

      const answer = await target.ingest({ externalKey });

      expect(answer.body).toMatchObject({ code: 'external_key_conflict', id });
    },
  },
  {
    id: 'ingest-sets-external-key',
    level: 'should',
    requirement: 'The text of a memory without an external key, sent with a key, sets the key on that memory.',
    async run(target) {
      const { id, content } = await target.stored();
      const externalKey = target.word();

      const answer = await target.ingest({ content, externalKey });

      expectOutcome(answer, 200, 'deduplicated');
      expect(answer.body).toMatchObject({ id, externalKey });
    },
  },
  {
    id: 'ingest-other-external-key-409',
    level: 'should',
    requirement: 'The text of a memory with another external key gets 409 content_conflict and its id.',
    async run(target) {
      const { id, content } = await target.storedByKey();

      const answer = await target.ingest({ content, externalKey: target.word() });

      expectRefusal(answer, 409, 'content_conflict');
      expect(answer.body).toMatchObject({ id });
    },
  },
]);
