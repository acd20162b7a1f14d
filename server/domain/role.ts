/** What a member may do in an organization (section 5.4). */
export type Role = 'owner' | 'member' | 'readonly';

export const ROLES: readonly Role[] = ['owner', 'member', 'readonly'];

/** What a token may carry beside the organization that it is bound to (section 5.2). */
export const ABILITIES = ['memory:ingest', 'memory:search', 'memory:admin', 'settings:admin'] as const;

/** Carries every ability; meant for local development. */
export const WILDCARD = '*';

const ABILITIES_OF: Readonly<Record<Role, readonly string[]>> = {
  owner: ABILITIES,
  member: ['memory:ingest', 'memory:search', 'memory:admin'],
  readonly: ['memory:search'],
};

/** What a member may do by role, and may let a token of theirs do. */
export function abilitiesOf(role: Role): readonly string[] {
  return ABILITIES_OF[role];
}

/**
 * Whether a role allows what an operation asks for. `settings:admin` says of a
 * token that it may manage at all; which role an operation of management needs
 * is the operation's own to say.
 */
export function roleAllows(role: Role, ability: string): boolean {
  return ability === 'settings:admin' || ABILITIES_OF[role].includes(ability);
}
