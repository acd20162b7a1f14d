import type { Role } from '@memory-service/sdk';

export const ROLE_OPTIONS: readonly { value: Role; label: string }[] = [
  { value: 'owner', label: 'Owner' },
  { value: 'member', label: 'Member' },
  { value: 'readonly', label: 'Read only' },
];

/** Says what each role may do, for people who choose one. */
export const ROLE_HINTS: Readonly<Record<Role, string>> = {
  owner: 'Manages the organization, and everything that a member may do.',
  member: 'Reads, stores, changes and deletes memories, and has own keys.',
  readonly: 'Reads and searches memories, and has own keys that search.',
};

export function roleOf(value: string): Role | undefined {
  return ROLE_OPTIONS.find((option) => option.value === value)?.value;
}

export function roleLabel(role: Role): string {
  return ROLE_OPTIONS.find(({ value }) => value === role)?.label ?? role;
}
