/** Roles that a member can have. */
export const ROLES = ['owner', 'member', 'readonly'] as const;
