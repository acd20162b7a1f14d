import { describe, expect, test } from 'vitest';
import type { Deps } from '../../deps.js';
import type { Role } from '../../domain/account/role.js';
import { createToken, digestToken } from '../../domain/account/token.js';
import { ForbiddenError, UnauthenticatedError } from '../../errors.js';
import { anotherCaller, testWorld } from '../../testing/app/test-deps.js';
import { anApiToken } from '../../testing/fixtures/accounts.js';
import { abilitiesIn, assertAbilities, authenticate, readStandings, resolveOrganization } from './access.js';
import type { Principal } from './principal.js';

describe('authenticate', () => {
  test('finds a token by its digest', async () => {
    const { deps, caller, token } = await testWorld();

    expect(await authenticate(deps, `Bearer ${token}`)).toMatchObject({
      credential: { id: caller.actor.id, digest: digestToken(token) },
      standings: [{ organizationId: caller.organizationId, role: 'owner' }],
    });
  });

  test.each([
    ['none', undefined],
    ['an empty one', 'Bearer '],
    ['another scheme', 'Basic abc'],
    ['a malformed one', 'Bearer msk_abc'],
    ['a well-formed one that was never issued', `Bearer ${createToken()}`],
  ])('rejects %s', async (_, header) => {
    const { deps } = await testWorld();

    await expect(authenticate(deps, header)).rejects.toThrow(UnauthenticatedError);
  });
});

describe('resolveOrganization', () => {
  test('returns the only organization of the user', async () => {
    const { deps, caller } = await testWorld();
    const place = { organizationId: caller.organizationId, role: 'owner', settings: { semanticDedupe: true } };
    const token = tokenOf(caller.actor.userId!, '*');

    expect(await resolve(deps, token, undefined)).toEqual(place);
    expect(await resolve(deps, token, caller.organizationId.toUpperCase())).toEqual(place);
  });

  test('throws the same error for unknown, foreign and malformed organizations', async () => {
    const { deps, caller } = await testWorld();
    const other = await anotherCaller(deps);
    const token = tokenOf(caller.actor.userId!, '*');

    const errors = [];
    for (const named of [other.organizationId, deps.newId(), 'x', '']) {
      errors.push(await resolve(deps, token, named).catch((error: unknown) => error));
    }

    expect(errors.every((error) => error instanceof ForbiddenError && error.code === 'organization_forbidden')).toBe(
      true,
    );
    expect(new Set(errors.map((error) => (error as Error).message)).size).toBe(1);
  });

  test('requires a user of several organizations to name one', async () => {
    const { deps, caller } = await testWorld();
    const other = await anotherCaller(deps);
    await join(deps, other.organizationId, caller.actor.userId!, 'readonly');
    const token = tokenOf(caller.actor.userId!, 'memory:search');

    await expect(resolve(deps, token, undefined)).rejects.toThrow(ForbiddenError);
    expect(await resolve(deps, token, other.organizationId)).toEqual({
      organizationId: other.organizationId,
      role: 'readonly',
      settings: { semanticDedupe: true },
    });
  });

  test('rejects a bound token elsewhere, and in its organization without a membership', async () => {
    const { deps, caller } = await testWorld();
    const other = await anotherCaller(deps);
    const bound = tokenOf(caller.actor.userId!, `organization:${caller.organizationId}`);
    const foreign = tokenOf(caller.actor.userId!, `organization:${other.organizationId}`);

    expect((await resolve(deps, bound, undefined)).organizationId).toBe(caller.organizationId);
    await expect(resolve(deps, bound, other.organizationId)).rejects.toThrow(ForbiddenError);
    await expect(resolve(deps, foreign, undefined)).rejects.toThrow(ForbiddenError);
  });

  test('rejects a bound token elsewhere even if its user is a member', async () => {
    const { deps, caller } = await testWorld();
    const other = await anotherCaller(deps);
    await join(deps, other.organizationId, caller.actor.userId!, 'owner');
    const bound = tokenOf(caller.actor.userId!, '*', `organization:${caller.organizationId}`);

    await expect(resolve(deps, bound, other.organizationId)).rejects.toThrow(ForbiddenError);
  });
});

describe('abilitiesIn', () => {
  const all = ['memory:ingest', 'memory:search', 'memory:admin', 'settings:admin'];
  const access = { wildcard: true, secureCookies: false, publicUrl: undefined };

  test('returns the abilities of a token, and all of them for *', () => {
    expect(abilitiesIn({ access }, tokenOf('u', 'memory:search'), 'owner')).toEqual(['memory:search']);
    expect(abilitiesIn({ access }, tokenOf('u', '*'), 'owner')).toEqual(all);
  });

  test('ignores * in production', () => {
    const abilities = abilitiesIn(
      { access: { ...access, wildcard: false } },
      tokenOf('u', '*', 'memory:search'),
      'owner',
    );

    expect(abilities).toEqual(['memory:search']);
  });

  test('limits the abilities of a token to those of the role', () => {
    expect(abilitiesIn({ access }, tokenOf('u', '*'), 'readonly')).toEqual(['memory:search', 'settings:admin']);
    expect(abilitiesIn({ access }, tokenOf('u', 'memory:ingest', 'memory:admin'), 'readonly')).toEqual([]);
    expect(abilitiesIn({ access }, tokenOf('u', ...all), 'member')).toEqual(all);
  });
});

describe('assertAbilities', () => {
  test('names the ability that is missing', () => {
    expect(() => assertAbilities({ abilities: ['memory:search'] }, ['memory:search'])).not.toThrow();
    expect(() => assertAbilities({ abilities: ['memory:search'] }, ['memory:ingest'])).toThrow(/memory:ingest/);
  });
});

async function resolve(deps: Deps, principal: Principal, header: string | undefined) {
  return resolveOrganization({ principal, standings: await readStandings(deps, principal, header) }, header);
}

function tokenOf(userId: string, ...abilities: string[]): Principal {
  return { type: 'token', userId, token: anApiToken({ organizationId: 'o', userId, abilities }) };
}

async function join({ store }: Deps, organizationId: string, userId: string, role: Role): Promise<void> {
  await store.transact(organizationId, ({ accounts }) => accounts.insertMember({ userId, role, joinedAt: 1 }));
}
