import { describe, expect, test } from 'vitest';
import { ABILITIES, mayGrant, ROLES, usableAbilities } from './role.js';

describe('mayGrant', () => {
  test('lets an owner give everything, a member what concerns memories, a reader search alone', () => {
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
  test('is what is carried, as far as the role goes', () => {
    expect(usableAbilities(['memory:ingest', 'memory:search'], 'readonly')).toEqual(['memory:search']);
    expect(usableAbilities(['memory:search'], 'owner')).toEqual(['memory:search']);
    expect(usableAbilities([], 'owner')).toEqual([]);
  });

  test('takes * for all that there are, and no more than the role has', () => {
    expect(usableAbilities(['*'], 'owner')).toEqual([...ABILITIES]);
    expect(usableAbilities(['*'], 'readonly')).toEqual(['memory:search', 'settings:admin']);
  });

  test('knows no ability by part of its name', () => {
    expect(usableAbilities(['memory', 'memory:*', 'organization:x', 'MEMORY:SEARCH'], 'owner')).toEqual([]);
  });
});
