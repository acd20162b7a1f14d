import { expect, test } from 'vitest';
import { roleMay } from './abilities.js';

test.each([
  ['createToken', ['owner', 'member', 'readonly']],
  ['ingestMemory', ['owner', 'member']],
  ['searchMemories', ['owner', 'member', 'readonly']],
  ['createInvitation', ['owner']],
  ['updateOrganizationSettings', ['owner']],
  ['signIn', ['owner', 'member', 'readonly']],
] as const)('%s is for %j', (operation, roles) => {
  const allowed = (['owner', 'member', 'readonly'] as const).filter((role) => roleMay(role, operation));

  expect(allowed).toEqual(roles);
});
