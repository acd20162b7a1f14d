import type { Deps } from '../../deps.js';
import type { Caller, Origin } from '../../domain/account/caller.js';
import { ConflictError, organizationForbidden, UnauthenticatedError } from '../../errors.js';
import { type Organization, OwnedLimitError } from '../../ports/account-store.js';
import { assertOwner, transactAsOwner } from '../access/owner.js';
import type { Principal } from '../access/principal.js';
import { recordAudit } from '../audit/record-audit.js';

/** Organizations that one person may own. Otherwise anybody could fill the store with them. */
const MAX_OWNED = 20;

/**
 * Makes an organization that the user of a session owns.
 *
 * @throws {ConflictError} `organization_limit_reached`
 */
export async function createOrganization(
  { store, now, newId }: Pick<Deps, 'store' | 'now' | 'newId'>,
  principal: Principal,
  origin: Origin,
  name: string,
): Promise<Organization> {
  const owner = await store.accounts.findUser(principal.userId);
  if (!owner) throw new UnauthenticatedError();
  const { id: userId } = owner;
  const organization = { id: newId(), name: name.trim(), createdAt: now() };
  const audit = {
    id: newId(),
    occurredAt: organization.createdAt,
    action: 'organization.create',
    actor: { type: 'user', id: userId, userId },
    source: 'dashboard',
    ...origin,
    metadata: {},
  } as const;
  try {
    await store.accounts.createOrganization({ organization, owner, audit, maxOwned: MAX_OWNED });
  } catch (error) {
    if (!(error instanceof OwnedLimitError)) throw error;
    throw new ConflictError(
      'organization_limit_reached',
      `A person owns at most ${MAX_OWNED} organizations: make another member the owner of one first`,
    );
  }
  return organization;
}

export async function getOrganization(
  { store }: Pick<Deps, 'store'>,
  { organizationId }: Pick<Caller, 'organizationId'>,
): Promise<Organization> {
  const organization = await store.accounts.findOrganization(organizationId);
  if (!organization) throw organizationForbidden();
  return organization;
}

/** Renames the organization. An equal name changes nothing. */
export async function renameOrganization(
  deps: Pick<Deps, 'store' | 'now' | 'newId'>,
  caller: Caller,
  given: string,
): Promise<Organization> {
  await assertOwner(deps, caller);
  const current = await getOrganization(deps, caller);
  const name = given.trim();
  if (name === current.name) return current;
  await transactAsOwner(deps, caller, async (unit) => {
    await unit.accounts.rename(name);
    await recordAudit(deps, unit, caller, { action: 'organization.update', metadata: { changed: ['name'] } });
  });
  return { ...current, name };
}
