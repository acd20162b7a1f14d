import { expect } from 'vitest';
import { needed } from '../../transport/prerequisite.js';
import type { Target } from '../../world/target.js';
import { defineChecks } from '../check.js';
import { expectOutcome, expectRefusal } from '../matchers.js';

async function wrongKey(target: Target): Promise<string | number> {
  return (await target.subjectKeys.type()) === 'string' ? 17 : 'user-17';
}

function unsetToken(target: Target): string {
  return needed(target.profile.tokens.unsetSubjectKeys, 'tokens.unsetSubjectKeys of the profile');
}

/** Subject keys, and the type that an organization chooses for them. */
export const subjectKeyChecks = defineChecks('2.2', [
  {
    id: 'subject-key-stored',
    level: 'must',
    requirement: 'A subject key of the chosen type is accepted and returned with its type.',
    needs: ['subject-keys'],
    async run(target) {
      const subjectKey = await target.subjectKeys.unused();
      const { id } = await target.stored({ subjectKey });

      const read = await target.get(id);

      expect(read.body.subjectKey).toBe(subjectKey);
    },
  },
  {
    id: 'subject-key-shared',
    level: 'must',
    requirement: 'Many memories may share one subject.',
    needs: ['subject-keys'],
    async run(target) {
      const subjectKey = await target.subjectKeys.unused();
      const one = await target.stored({ subjectKey });
      const other = await target.stored({ subjectKey });

      const listed = await target.read('recent', { filter: { subjectKey } });

      expect(listed.ids).toEqual([other.id, one.id]);
    },
  },
  {
    id: 'subject-key-wrong-type-ingest-422',
    level: 'must',
    requirement: 'A subject key of the wrong type is rejected with 422 on ingest.',
    needs: ['subject-keys'],
    async run(target) {
      expectRefusal(await target.ingest({ subjectKey: await wrongKey(target) }), 422);
    },
  },
  {
    id: 'subject-key-wrong-type-upsert-422',
    level: 'must',
    requirement: 'A subject key of the wrong type is rejected with 422 on upsert.',
    needs: ['subject-keys'],
    async run(target) {
      expectRefusal(await target.upsert({ subjectKey: await wrongKey(target) }), 422);
    },
  },
  {
    id: 'subject-key-wrong-type-update-422',
    level: 'must',
    requirement: 'A subject key of the wrong type is rejected with 422 on update.',
    needs: ['subject-keys'],
    async run(target) {
      const { id } = await target.stored();

      expectRefusal(await target.patch(id, { subjectKey: await wrongKey(target) }), 422);
    },
  },
  {
    id: 'subject-key-wrong-type-batch-item',
    level: 'must',
    requirement: 'A batch item with a subject key of the wrong type fails with the code subject_key_invalid.',
    needs: ['subject-keys'],
    async run(target) {
      const answer = await target.batch([target.fields({ subjectKey: await wrongKey(target) })]);

      expect(answer.body.results).toMatchObject([{ index: 0, error: { code: 'subject_key_invalid' } }]);
    },
  },
  {
    id: 'subject-key-neither-type-422',
    level: 'must',
    requirement: 'A subject key that is neither integer nor string is rejected with 422.',
    needs: ['subject-keys'],
    async run(target) {
      for (const subjectKey of [1.5, true, ['x'], {}]) {
        expectRefusal(await target.send('POST', '/api/memories', { ...target.fields(), subjectKey }), 422);
      }
    },
  },
  {
    id: 'subject-key-filter-wrong-type-422',
    level: 'should',
    requirement: 'A filter with a subject key of the wrong type is rejected with 422 and subject_key_invalid.',
    needs: ['subject-keys'],
    async run(target) {
      const filter = { subjectKey: await wrongKey(target) };

      expectRefusal(await target.search({ query: 'x', filter }), 422, 'subject_key_invalid');
    },
  },
  {
    id: 'subject-key-unset-422',
    level: 'must',
    requirement: 'Until a type is chosen, any subject key is rejected with 422 and the code subject_key_invalid.',
    needs: ['unset-subject-keys'],
    async run(target) {
      const token = unsetToken(target);
      for (const subjectKey of ['user-17', 17]) {
        expectRefusal(await target.ingest({ subjectKey }, { token }), 422, 'subject_key_invalid');
        expectRefusal(await target.upsert({ subjectKey }, { token }), 422, 'subject_key_invalid');
      }
    },
  },
  {
    id: 'subject-key-type-kept-while-used',
    level: 'must',
    requirement: 'The type cannot be changed while a memory has a subject key.',
    needs: ['subject-keys', 'management'],
    async run(target) {
      const subjectKeyType = await target.subjectKeys.type();
      await target.stored({ subjectKey: await target.subjectKeys.unused() });
      const other = subjectKeyType === 'string' ? 'integer' : 'string';

      const answer = await target.send('PATCH', '/api/organization/settings', { subjectKeyType: other });
      // Undoes a change that must not have happened.
      if (answer.status === 200) await target.send('PATCH', '/api/organization/settings', { subjectKeyType });

      expectRefusal(answer, 409, 'subject_key_type_in_use');
    },
  },
  {
    id: 'subject-key-setting-told',
    level: 'must',
    requirement: 'The type of subject keys is a setting of the organization that can be read.',
    needs: ['subject-keys', 'management'],
    async run(target) {
      const answer = await target.send('GET', '/api/organization/settings');

      expect(answer.status).toBe(200);
      expect(answer.body.subjectKeyType).toBe(await target.subjectKeys.type());
    },
  },
  {
    id: 'subject-key-parts-duplicates',
    level: 'should',
    requirement: 'The same text about two subjects is two memories.',
    needs: ['subject-keys'],
    async run(target) {
      const first = await target.stored({ subjectKey: await target.subjectKeys.unused() });

      const second = await target.ingest({ content: first.content, subjectKey: await target.subjectKeys.unused() });

      expectOutcome(second, 201, 'created');
    },
  },
  {
    id: 'subject-key-apart-from-external-key',
    level: 'must',
    requirement: 'The external key identifies one fact, the subject key groups many: neither stands for the other.',
    needs: ['subject-keys'],
    async run(target) {
      const subjectKey = await target.subjectKeys.unused();
      const one = await target.storedByKey({ subjectKey });
      const other = await target.storedByKey({ subjectKey });

      const updated = await target.upsert({ externalKey: one.externalKey ?? '', subjectKey });
      const listed = await target.read('recent', { filter: { subjectKey } });

      expectOutcome(updated, 200, 'updated');
      expect([...listed.ids].sort()).toEqual([one.id, other.id].sort());
    },
  },
]);
