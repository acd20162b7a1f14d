import { v7 } from 'uuid';
import type { Store } from '../../ports/store.js';
import { makeToken } from '../../services/organization/tokens.js';

/** An organization and its owner's token. */
export interface Place {
  organizationId: string;
  token: string;
}

/** Creates organizations while no server runs, each with a token, and closes the store. */
export async function foundOrganizations(opened: Store, count: number): Promise<Place[]> {
  await using store = opened;
  const places: Place[] = [];
  for (let n = 0; n < count; n++) {
    const createdAt = Date.now() * 1_000;
    const organization = { id: v7(), name: `bench ${n}`, createdAt };
    const owner = { id: v7(), email: `owner-${n}@bench.test` };
    const { token, record } = makeToken(
      { now: () => createdAt, newId: v7 },
      { organizationId: organization.id, userId: owner.id, name: 'bench', abilities: ['*'] },
    );
    await store.accounts.createOrganization({ organization, owner, token: record });
    places.push({ organizationId: organization.id, token });
  }
  return places;
}
