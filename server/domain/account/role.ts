export const ROLES = ['owner', 'member', 'readonly'] as const;

/** What a member may do in an organization (section 5.4). */
export type Role = (typeof ROLES)[number];

/** What a credential may do, beside the organization that a token is bound to (section 5.2). */
export const ABILITIES = ['memory:ingest', 'memory:search', 'memory:admin', 'settings:admin'] as const;

/** Carries every ability; meant for local development. */
export const WILDCARD = '*';

const ORGANIZATION_PREFIX = 'organization:';

/** The ability that binds a token to an organization. */
export function organizationAbility(organizationId: string): string {
  return `${ORGANIZATION_PREFIX}${organizationId}`;
}

/** Returns the id in an organization ability, in lower case; undefined for any other ability. */
export function boundOrganizationOf(ability: string): string | undefined {
  return ability.startsWith(ORGANIZATION_PREFIX) ? ability.slice(ORGANIZATION_PREFIX.length).toLowerCase() : undefined;
}

const GRANTED_BY: Readonly<Record<Role, readonly string[]>> = {
  owner: [WILDCARD, ...ABILITIES],
  member: ['memory:ingest', 'memory:search', 'memory:admin'],
  readonly: ['memory:search'],
};

/** Whether a member may make a token that carries an ability. */
export function mayGrant(role: Role, ability: string): boolean {
  return GRANTED_BY[role].includes(ability);
}

/**
 * What of the abilities that a credential carries its user may use at present.
 *
 * `settings:admin` says of a credential that it may manage at all, and every
 * role has something to manage; which role an operation needs is the
 * operation's own to say.
 */
export function usableAbilities(carried: readonly string[], role: Role): string[] {
  const isCarried = (ability: string) => carried.includes(WILDCARD) || carried.includes(ability);
  const isOfRole = (ability: string) => ability === 'settings:admin' || GRANTED_BY[role].includes(ability);
  return ABILITIES.filter((ability) => isCarried(ability) && isOfRole(ability));
}
