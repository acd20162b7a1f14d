export const ROLES = ['owner', 'member', 'readonly'] as const;

/** Role of a member in an organization (section 5.4). */
export type Role = (typeof ROLES)[number];

/** Abilities of credentials, except the one that binds a token to an organization (section 5.2). */
export const ABILITIES = ['memory:ingest', 'memory:search', 'memory:admin', 'settings:admin'] as const;

/** Stands for every ability; for local development. */
export const WILDCARD = '*';

const ORGANIZATION_PREFIX = 'organization:';

/** Returns the ability that binds a token to an organization. */
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

/** Reports if a member may create a token with an ability. */
export function mayGrant(role: Role, ability: string): boolean {
  return GRANTED_BY[role].includes(ability);
}

/**
 * Returns the abilities of a credential that its user's role allows.
 *
 * Every role may use `settings:admin`, because every role can manage something. The operations themselves check which
 * role they require.
 */
export function usableAbilities(carried: readonly string[], role: Role): string[] {
  const isCarried = (ability: string) => carried.includes(WILDCARD) || carried.includes(ability);
  const isOfRole = (ability: string) => ability === 'settings:admin' || GRANTED_BY[role].includes(ability);
  return ABILITIES.filter((ability) => isCarried(ability) && isOfRole(ability));
}
