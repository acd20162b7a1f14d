import { describe, expect, test } from 'vitest';
import { ABILITIES, mayGrant, ROLES, usableAbilities } from './role.js';

describe('mayGrant', () => {
  test('lets an owner grant every ability, a member those of memories, a reader only search', () => {
    const grants = (ability: string) => ROLES.filter((role) => mayGrant(role, ability));

    expect(['memory:ingest', 'memory:search', 'memory:admin', 'settings:admin', '*'].map(grants)).toEqual([
      ['owner', 'member'],
      ['owner', 'member', 'readonly'],
      ['owner', 'member'],
      ['owner'],
      ['owner'],
    ]);
    expect(grants('memory:everything')).toEqual([]);
  });
});

describe('usableAbilities', () => {
  test('returns the carried abilities that the role has', () => {
    expect(usableAbilities(['memory:ingest', 'memory:search'], 'readonly')).toEqual(['memory:search']);
    expect(usableAbilities(['memory:search'], 'owner')).toEqual(['memory:search']);
    expect(usableAbilities([], 'owner')).toEqual([]);
  });

  test('expands * to the abilities of the role', () => {
    expect(usableAbilities(['*'], 'owner')).toEqual([...ABILITIES]);
    expect(usableAbilities(['*'], 'readonly')).toEqual(['memory:search', 'settings:admin']);
  });

  test('ignores partial, foreign and upper-case names of abilities', () => {
    expect(usableAbilities(['memory', 'memory:*', 'organization:x', 'MEMORY:SEARCH'], 'owner')).toEqual([]);
  });
});
