import { describe, expect, test } from 'vitest';
import { createToken } from '../../domain/account/token.js';
import { loadContract } from '../../http/contract/contract.js';
import type { Answer, SentHeaders } from '../../testing/app/http-client.js';
import { foundOrganization, member, type TestApp, testApp } from '../../testing/app/test-app.js';
import { SAMPLE_REQUESTS } from '../../testing/fixtures/requests.js';
import { kindOf, type Send, sendingAs } from '../../testing/fixtures/resource-kinds.js';

/**
 * No tenant may read, change or detect the data of another one. Both tests cover every operation of the document, so a
 * new operation is tested too. If its path contains a new kind of id, add that to `kindOf`.
 */

const { operations } = loadContract();
const secured = operations.filter(({ abilities }) => abilities !== undefined);
const naming = secured.filter(({ path }) => path.includes('{'));

interface Tenant {
  organizationId: string;
  token: string;
  send: Send;
}

async function threeTenants(app: TestApp): Promise<Tenant[]> {
  const founded = [
    { organizationId: app.organizationId, token: app.token },
    await foundOrganization(app.deps),
    await foundOrganization(app.deps),
  ];
  return founded.map((tenant) => ({ ...tenant, send: sendingAs(app, tenant.token) }));
}

/** Returns seven credentials that must not open an organization, and how each is rejected. */
async function wrongCredentials(app: TestApp, { organizationId }: Tenant, other: Tenant) {
  const at = app.deps.now();
  const here = { organizationId, deps: app.deps };
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const expired = await foundOrganization(app.deps, { expiresAt: at });
  const revoked = await foundOrganization(app.deps, { revokedAt: at });
  const removed = await member(here, 'owner', ['*', `organization:${organizationId}`]);
  const removedUnbound = await member(here, 'owner', []);
  const outlived = createToken();
  await app.deps.store.transact(organizationId, ({ accounts }) => accounts.removeMember(removed.userId, at));
  await app.deps.store.transact(organizationId, ({ accounts }) => accounts.removeMember(removedUnbound.userId, at));
  const elsewhere = await foundOrganization(app.deps, {
    userId: removedUnbound.userId,
    abilities: ['*', `organization:${organizationId}`],
  });
  const named = { 'x-organization-id': organizationId };
  return [
    { name: 'none', headers: { authorization: undefined }, status: 401 },
    { name: 'bad', headers: bearer(outlived), status: 401 },
    { name: 'expired', headers: bearer(expired.token), status: 401 },
    { name: 'revoked', headers: bearer(revoked.token), status: 401 },
    { name: 'removed member', headers: removed.headers, status: 401 },
    { name: 'removed member, with a token made elsewhere', headers: bearer(elsewhere.token), status: 403 },
    { name: 'other organization', headers: { ...bearer(other.token), ...named }, status: 403 },
  ] satisfies { name: string; headers: SentHeaders; status: number }[];
}

test('every operation rejects callers that may not act in the organization', async () => {
  const app = await testApp();
  const tenants = await threeTenants(app);
  const each = tenants.map(async (tenant, index) => {
    return { tenant, wrong: await wrongCredentials(app, tenant, tenants[(index + 1) % 3]!) };
  });
  const turnedAway = await Promise.all(each);
  const seen = new Map<number, Set<string>>();

  for (const { id, abilities = [] } of secured) {
    const { method, path, body } = SAMPLE_REQUESTS[id];
    for (const { tenant, wrong } of turnedAway) {
      for (const { name, headers, status } of wrong) {
        const answer = await app.send(method, path, body, headers);

        expect(answer.status, `${id}: ${name}`).toBe(status);
        seen.set(status, (seen.get(status) ?? new Set()).add(answer.text));
      }
      const powerless = await member({ ...app, organizationId: tenant.organizationId }, 'owner', []);
      const denied = await app.send(method, path, body, powerless.headers);

      expect(denied.body.code, `${id}: no ability`).toBe(abilities.length > 0 ? 'ability_denied' : undefined);
    }
  }

  // The text is the same for all reasons, organizations and operations.
  expect(Array.from(seen, ([status, texts]) => [status, texts.size])).toEqual([
    [401, 1],
    [403, 1],
  ]);
});

describe('every operation answers the same for data of others as for data that does not exist', () => {
  test.each(naming)('$id', async ({ id, path: template }) => {
    const app = await testApp();
    const tenants = await threeTenants(app);
    const { method, body: sample } = SAMPLE_REQUESTS[id];
    // Repeating the same content would conflict.
    const body = template === '/api/memories/{id}' && sample ? { metadata: { seen: true } } : sample;
    const kind = kindOf(template);
    const target = (thing: string) =>
      template.replace(/\{\w+\}/, encodeURIComponent(thing)).replace(/\{\w+\}/, '0198c5a2-7e10-7c3b-9d5e-2f6a1b0c4d11');
    const hasInner = /\{.*\{/.test(template);
    const refused: Answer[] = [];

    for (const [index, tenant] of tenants.entries()) {
      const neighbour = tenants[(index + 1) % 3]!;
      const own = await kind.make(tenant.send);
      const foreign = await kind.make(neighbour.send);
      const unreachable = [foreign, app.deps.newId(), 'no-uuid', `${own}x`, '%00'];
      if (kind.remove) {
        const deleted = await kind.make(tenant.send);
        await kind.remove(tenant.send, deleted);
        unreachable.push(deleted);
      }

      for (const thing of unreachable) refused.push(await tenant.send(method, target(thing), body));
      const found = await tenant.send(method, target(own), body);
      const untouched = await neighbour.send(method, target(foreign), body);

      // An unknown inner id is not found inside an existing resource.
      expect([found.status < 300, untouched.status < 300]).toEqual([!hasInner, !hasInner]);
    }

    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([404]));
    expect(new Set(refused.map(({ text }) => text))).toEqual(new Set(['{"error":"Not found"}']));
    expect(new Set(refused.map(({ headers }) => headerNames(headers))).size).toBe(1);
  });
});

function headerNames(headers: Answer['headers']): string {
  return Object.keys(headers).sort().join(' ');
}
