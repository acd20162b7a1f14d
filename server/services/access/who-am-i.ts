import type { Deps } from '../../deps.js';
import type { Microseconds } from '../../domain/timestamp.js';
import { UnauthenticatedError } from '../../errors.js';
import type { Membership } from '../../ports/account-store.js';
import { abilitiesIn, boundOrganizations } from './access.js';
import type { Principal } from './principal.js';

export interface Self {
  user: { id: string; email: string };
  credential: {
    type: Principal['type'];
    id: string;
    /** Name of a token. */
    name?: string;
    /** Abilities in the resolved organization; empty if none was resolved. */
    abilities: string[];
    expiresAt?: Microseconds;
  };
  /** Undefined for a session of a member of several organizations that named none. */
  organization?: Membership;
  /** Organizations in which the credential may act. */
  organizations: Membership[];
  /** Value of the header that changes by a session must carry. */
  csrfToken?: string;
}

/**
 * Returns who is behind a credential, and where they may act.
 *
 * @param place the resolved organization. If undefined, the only one of the user
 * @throws {UnauthenticatedError} if the user was deleted
 */
export async function whoAmI(
  deps: Pick<Deps, 'store' | 'access'>,
  principal: Principal,
  place?: { organizationId: string },
): Promise<Self> {
  const { accounts } = deps.store;
  const user = await accounts.findUser(principal.userId);
  if (!user) throw new UnauthenticatedError();
  const memberships = await accounts.membershipsOf(user.id);
  const bound = principal.type === 'token' ? boundOrganizations(principal.token) : [];
  const reachable = memberships.filter(({ organizationId }) => bound.length === 0 || bound.includes(organizationId));
  const [only, ...others] = reachable;
  const alone = others.length === 0 ? only : undefined;
  const organization = place ? reachable.find(({ organizationId }) => organizationId === place.organizationId) : alone;
  return {
    user: { id: user.id, email: user.email },
    credential: {
      ...describe(principal),
      abilities: organization ? abilitiesIn(deps, principal, organization.role) : [],
    },
    ...(organization && { organization }),
    organizations: reachable,
    ...(principal.type === 'session' && { csrfToken: principal.csrfToken }),
  };
}

function describe(principal: Principal): Omit<Self['credential'], 'abilities'> {
  if (principal.type === 'session') {
    const { id, expiresAt } = principal.session;
    return { type: 'session', id, expiresAt };
  }
  const { id, name, expiresAt } = principal.token;
  return { type: 'token', id, name, ...(expiresAt !== undefined && { expiresAt }) };
}
