import { describe, expect, test } from 'vitest';
import { createToken, digestToken } from '../domain/token.js';
import { ForbiddenError, UnauthenticatedError } from '../errors.js';
import type { ApiToken } from '../ports/account-store.js';
import { anotherCaller, testWorld } from '../testing/test-deps.js';
import { assertAbilities, authenticate, resolveOrganization } from './access.js';

describe('authenticate', () => {
  test('knows a token by its digest', async () => {
    const { deps, caller, token } = await testWorld();

    expect(await authenticate(deps, `Bearer ${token}`)).toMatchObject({
      id: caller.actor.id,
      digest: digestToken(token),
    });
  });

  test.each([
    ['none', undefined],
    ['an empty one', 'Bearer '],
    ['another scheme', 'Basic abc'],
    ['noise', 'Bearer msk_abc'],
    ['a well-formed one that was never given out', `Bearer ${createToken()}`],
  ])('refuses %s', async (_, header) => {
    const { deps } = await testWorld();

    await expect(authenticate(deps, header)).rejects.toThrow(UnauthenticatedError);
  });
});

describe('resolveOrganization', () => {
  const tokenOf = (userId: string, ...abilities: string[]): ApiToken => ({
    id: 't',
    organizationId: 'o',
    userId,
    name: 't',
    digest: '',
    prefix: '',
    lastFour: '',
    abilities,
    createdAt: 0,
  });

  test('takes the only organization of the user', async () => {
    const { deps, caller } = await testWorld();
    const token = tokenOf(caller.actor.userId!, '*');

    expect(await resolveOrganization(deps, token, undefined)).toBe(caller.organizationId);
    expect(await resolveOrganization(deps, token, caller.organizationId.toUpperCase())).toBe(caller.organizationId);
  });

  test('answers alike for unknown, foreign and malformed organizations', async () => {
    const { deps, caller } = await testWorld();
    const other = await anotherCaller(deps);
    const token = tokenOf(caller.actor.userId!, '*');

    const errors = [];
    for (const named of [other.organizationId, deps.newId(), 'x', '']) {
      errors.push(await resolveOrganization(deps, token, named).catch((error: unknown) => error));
    }

    expect(errors.every((error) => error instanceof ForbiddenError && error.code === 'organization_forbidden')).toBe(
      true,
    );
    expect(new Set(errors.map((error) => (error as Error).message)).size).toBe(1);
  });

  test('holds a bound token to its organization, and the user to a membership', async () => {
    const { deps, caller } = await testWorld();
    const other = await anotherCaller(deps);
    const bound = tokenOf(caller.actor.userId!, `organization:${caller.organizationId}`);
    const foreign = tokenOf(caller.actor.userId!, `organization:${other.organizationId}`);

    expect(await resolveOrganization(deps, bound, undefined)).toBe(caller.organizationId);
    await expect(resolveOrganization(deps, bound, other.organizationId)).rejects.toThrow(ForbiddenError);
    await expect(resolveOrganization(deps, foreign, undefined)).rejects.toThrow(ForbiddenError);
  });
});

describe('assertAbilities', () => {
  test('lets a token do what it carries, and one with * everything', () => {
    expect(() => assertAbilities({ abilities: ['memory:search'] }, ['memory:search'])).not.toThrow();
    expect(() => assertAbilities({ abilities: ['*'] }, ['memory:admin'])).not.toThrow();
    expect(() => assertAbilities({ abilities: ['memory:search'] }, ['memory:ingest'])).toThrow(/memory:ingest/);
  });
});
