import type { Deps } from '../../deps.js';
import { WILDCARD } from '../../domain/account/role.js';
import type { SubjectKeyType } from '../../domain/memory/memory.js';
import { removeNow } from './deletion.js';
import { changeSettings } from './settings.js';
import { makeToken } from './tokens.js';

const OWNER_ADDRESS = 'owner@localhost';

interface FirstOrganization {
  organizationId: string;
  ownerId: string;
  /** Shown only now: the store keeps its digest. */
  token: string;
}

/**
 * Creates an organization with an owner and a token with every ability, for a first start outside production. Returns
 * undefined if an organization exists.
 *
 * @param organizationId a new id if undefined
 * @param subjectKeyType none if undefined, so that an owner chooses it
 */
export async function createFirstOrganization(
  { store, now, newId }: Pick<Deps, 'store' | 'now' | 'newId'>,
  organizationId = newId(),
  subjectKeyType?: SubjectKeyType,
): Promise<FirstOrganization | undefined> {
  if ((await store.accounts.organizationIds()).length > 0) return undefined;

  return found({ store, now, newId }, organizationId, subjectKeyType).catch(async (error: unknown) => {
    // Another server on this store started at the same moment and created it.
    if ((await store.accounts.organizationIds()).length > 0) return undefined;
    throw error;
  });
}

async function found(
  { store, now, newId }: Pick<Deps, 'store' | 'now' | 'newId'>,
  organizationId: string,
  subjectKeyType: SubjectKeyType | undefined,
): Promise<FirstOrganization> {
  const organization = { id: organizationId, name: 'default', createdAt: now() };
  // An organization that was deleted may have had this id, and its owner this address.
  await removeNow({ store }, organizationId);
  const owner = (await store.accounts.findUserByEmail(OWNER_ADDRESS)) ?? { id: newId(), email: OWNER_ADDRESS };
  const { token, record } = makeToken(
    { now, newId },
    { organizationId, userId: owner.id, name: 'first start', abilities: [WILDCARD] },
  );
  await store.accounts.createOrganization({ organization, owner, token: record });
  await store.transact(organizationId, (unit) => changeSettings(unit, { subjectKeyType }));
  return { organizationId, ownerId: owner.id, token };
}
