import { describe, expect, test } from 'vitest';
import { testWorld } from '../../testing/app/test-deps.js';
import { SMALL_PRICE } from '../../testing/fixtures/subscriptions.js';
import { authenticate } from '../access/access.js';
import { ingest } from '../writing/ingest.js';
import { provision } from './provision.js';
import { updateSettings } from './settings.js';

const MARIA = 'maria@example.test';

describe('provision', () => {
  test('creates an organization whose owner has a bound token with every ability but the wildcard', async () => {
    const { deps } = await testWorld();

    const { organizationId, userId, token } = await provision(deps, { name: 'Acme', email: MARIA });

    expect(await deps.store.accounts.membershipsOf(userId)).toEqual([{ organizationId, name: 'Acme', role: 'owner' }]);
    expect((await authenticate(deps, `Bearer ${token}`)).credential).toMatchObject({
      userId,
      abilities: ['memory:ingest', 'memory:search', 'memory:admin', 'settings:admin', `organization:${organizationId}`],
    });
  });

  test('creates two organizations of one new person in parallel', async () => {
    const { deps } = await testWorld();

    const made = await Promise.all(['Acme', 'Emca'].map((name) => provision(deps, { name, email: MARIA })));

    const memberships = await deps.store.accounts.membershipsOf(made[0]!.userId);
    expect(made[1]!.userId).toBe(made[0]!.userId);
    expect(memberships.map(({ name }) => name).toSorted()).toEqual(['Acme', 'Emca']);
  });

  test('uses the given id, in lower case', async () => {
    const { deps } = await testWorld();
    const organizationId = deps.newId();

    const made = await provision(deps, { name: 'Acme', email: MARIA, organizationId: organizationId.toUpperCase() });

    expect(made.organizationId).toBe(organizationId);
    expect(await deps.store.accounts.settings(organizationId)).toBeDefined();
  });

  test('adds a person to an existing organization, with the abilities of the role', async () => {
    const { deps, caller } = await testWorld();
    const { organizationId } = caller;

    const reader = await provision(deps, { organizationId, email: MARIA, role: 'readonly' });
    const writer = await provision(deps, { organizationId, email: 'jo@example.test', role: 'member' });

    expect(await deps.store.accounts.findRole(organizationId, reader.userId)).toBe('readonly');
    expect((await authenticate(deps, `Bearer ${reader.token}`)).credential).toMatchObject({
      abilities: ['memory:search', 'settings:admin', `organization:${organizationId}`],
    });
    expect((await authenticate(deps, `Bearer ${writer.token}`)).credential).toMatchObject({
      abilities: ['memory:ingest', 'memory:search', 'memory:admin', 'settings:admin', `organization:${organizationId}`],
    });
  });

  test('issues another token to an existing person, also in another organization', async () => {
    const { deps } = await testWorld();
    const first = await provision(deps, { name: 'Acme', email: MARIA });

    const again = await provision(deps, { organizationId: first.organizationId, email: 'Maria@Example.test' });
    const elsewhere = await provision(deps, { name: 'Umbrella', email: MARIA });

    expect([again.userId, elsewhere.userId]).toEqual([first.userId, first.userId]);
    expect(again.token).not.toBe(first.token);
    const memberships = await deps.store.accounts.membershipsOf(first.userId);
    expect(memberships.map(({ organizationId }) => organizationId)).toEqual([
      first.organizationId,
      elsewhere.organizationId,
    ]);
  });

  test('grants only the given abilities', async () => {
    const { deps } = await testWorld();

    const { organizationId, token } = await provision(deps, {
      name: 'Acme',
      email: MARIA,
      abilities: ['memory:search', 'memory:ingest', 'memory:search'],
    });

    expect((await authenticate(deps, `Bearer ${token}`)).credential).toMatchObject({
      abilities: ['memory:search', 'memory:ingest', `organization:${organizationId}`],
    });
  });

  test('sets the type of subject keys and the price', async () => {
    const { deps } = await testWorld();

    const { organizationId } = await provision(deps, {
      name: 'Acme',
      email: MARIA,
      subjectKeyType: 'string',
      priceId: SMALL_PRICE,
    });

    expect(await deps.store.accounts.settings(organizationId)).toMatchObject({ subjectKeyType: 'string' });
    expect(await deps.store.subscriptions.of(organizationId)).toMatchObject([
      { status: 'active', priceIds: [SMALL_PRICE] },
    ]);
  });

  test('sets the type for new organizations only in a new organization', async () => {
    const { deps, caller } = await testWorld();
    const input = { name: 'Acme', email: MARIA, newSubjectKeyType: 'string' } as const;

    const made = await provision(deps, input);
    await provision(deps, { ...input, organizationId: caller.organizationId });

    expect(await deps.store.accounts.settings(made.organizationId)).toMatchObject({ subjectKeyType: 'string' });
    expect(await deps.store.accounts.settings(caller.organizationId)).not.toHaveProperty('subjectKeyType');
  });

  test('audits the token and its issuer', async () => {
    const { deps } = await testWorld();

    const { organizationId, token } = await provision(deps, { name: 'Acme', email: MARIA });

    const events = await deps.store.audit.list(organizationId, { limit: 9 });
    expect(events).toMatchObject([
      { action: 'token.create', actor: { type: 'system', id: 'provision' }, source: 'operator' },
    ]);
    expect(JSON.stringify(events)).not.toContain(token);
  });

  test.each([
    [{ email: 'nobody' }, 'owner'],
    [{ email: MARIA }, 'organization'],
    [{ email: MARIA, name: ' ' }, 'organization'],
    [{ email: MARIA, name: 'Acme', role: 'member' }, 'role'],
    [{ email: MARIA, name: 'Acme', organizationId: 'acme' }, 'organization-id'],
    [{ email: MARIA, name: 'Acme', abilities: ['memory:fly'] }, 'abilities'],
  ] as const)('rejects %j at %s and creates nothing', async (input, path) => {
    const { deps, caller } = await testWorld();

    const refused = provision(deps, input);

    await expect(refused).rejects.toMatchObject({ status: 422, extra: { details: [{ path }] } });
    expect(await deps.store.accounts.organizationIds()).toEqual([caller.organizationId]);
  });

  test('rejects an ability that the role lacks, and a role that differs from the current one', async () => {
    const { deps, caller } = await testWorld();
    const { organizationId } = caller;
    await provision(deps, { organizationId, email: MARIA, role: 'readonly' });

    const writing = provision(deps, { organizationId, email: MARIA, role: 'readonly', abilities: ['memory:ingest'] });
    const promoted = provision(deps, { organizationId, email: MARIA, role: 'owner' });

    await expect(writing).rejects.toMatchObject({ extra: { details: [{ path: 'ability' }] } });
    await expect(promoted).rejects.toMatchObject({ extra: { details: [{ path: 'role' }] } });
  });

  test('grants the wildcard outside production only', async () => {
    const { deps } = await testWorld();
    const production = { ...deps, access: { ...deps.access, wildcard: false } };
    const input = { name: 'Acme', email: MARIA, abilities: ['*'] };

    const local = await provision(deps, input);
    const refused = provision(production, input);

    expect((await authenticate(deps, `Bearer ${local.token}`)).credential.abilities).toContain('*');
    await expect(refused).rejects.toMatchObject({ status: 422 });
  });

  test('rejects another subject key type while subject keys are stored', async () => {
    const { deps, caller } = await testWorld();
    await updateSettings(deps, caller, { subjectKeyType: 'string' });
    await ingest(deps, caller, { content: 'x', subjectKey: 's' });

    const { organizationId } = caller;
    const refused = provision(deps, { organizationId, email: MARIA, role: 'member', subjectKeyType: 'integer' });

    await expect(refused).rejects.toMatchObject({ code: 'subject_key_type_in_use' });
  });
});
