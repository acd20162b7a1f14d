import type { OperationId } from '../../data/abilities.js';

interface KeyAbility {
  name: string;
  title: string;
  hint: string;
  /** An operation that requires the ability. A role that may use it may give the ability to a key. */
  opens: OperationId;
}

export const KEY_ABILITIES: readonly KeyAbility[] = [
  { name: 'memory:search', title: 'Read', hint: 'Search, read and export memories.', opens: 'searchMemories' },
  { name: 'memory:ingest', title: 'Store', hint: 'Store memories, one by one and in batches.', opens: 'ingestMemory' },
  {
    name: 'memory:admin',
    title: 'Change and delete',
    hint: 'Change, delete, restore and purge memories.',
    opens: 'deleteMemory',
  },
  {
    name: 'settings:admin',
    title: 'Manage the organization',
    hint: 'Members, keys, webhooks, settings and the audit trail. Agents do not need it.',
    opens: 'updateOrganizationSettings',
  },
];

/** Returns the abilities of a token without the one that binds it to its organization. */
export function ownAbilities(abilities: readonly string[]): string[] {
  return abilities.filter((ability) => !ability.startsWith('organization:'));
}
