import type { Deps } from '../../deps.js';
import { WILDCARD } from '../../domain/account/role.js';
import { makeToken } from './tokens.js';

interface FirstOrganization {
  organizationId: string;
  /** Known only now: the store keeps its digest. */
  token: string;
}

/**
 * Makes an organization with an owner and a token that may do everything, for
 * a first start outside production. Undefined when there is one already.
 *
 * @param organizationId a new one unless the operator chose it
 */
export async function createFirstOrganization(
  { store, now, newId }: Pick<Deps, 'store' | 'now' | 'newId'>,
  organizationId = newId(),
): Promise<FirstOrganization | undefined> {
  if ((await store.accounts.organizationIds()).length > 0) return undefined;

  return found({ store, now, newId }, organizationId).catch(async (error: unknown) => {
    // Another server on this store, which started at the same moment, made it.
    if ((await store.accounts.organizationIds()).length > 0) return undefined;
    throw error;
  });
}

async function found(
  { store, now, newId }: Pick<Deps, 'store' | 'now' | 'newId'>,
  organizationId: string,
): Promise<FirstOrganization> {
  const organization = { id: organizationId, name: 'default', createdAt: now() };
  const owner = { id: newId(), email: 'owner@localhost' };
  const { token, record } = makeToken(
    { now, newId },
    { organizationId, userId: owner.id, name: 'first start', abilities: [WILDCARD] },
  );
  await store.accounts.createOrganization({ organization, owner, token: record });
  return { organizationId, token };
}
