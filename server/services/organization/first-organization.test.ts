import { v7 } from 'uuid';
import { expect, test } from 'vitest';
import { openTestStore } from '../../testing/app/test-store.js';
import { createFirstOrganization } from './first-organization.js';

test.each([undefined, v7()])(
  'exactly one of several servers that start on an empty store creates the organization',
  async (id) => {
    const now = () => 1_700_000_000_000_000;
    const store = await openTestStore(now);

    const made = await Promise.all(
      Array.from({ length: 3 }, () => createFirstOrganization({ store, now, newId: () => v7() }, id)),
    );

    const [organizationId] = await store.accounts.organizationIds();
    expect(made.filter((one) => one !== undefined)).toMatchObject([{ organizationId }]);
    expect(await store.accounts.organizationIds()).toHaveLength(1);
  },
);

test('the first organization has the given type of subject keys', async () => {
  const now = () => 1_700_000_000_000_000;
  const store = await openTestStore(now);

  const made = await createFirstOrganization({ store, now, newId: () => v7() }, undefined, 'string');

  expect(await store.accounts.settings(made!.organizationId)).toMatchObject({ subjectKeyType: 'string' });
});
