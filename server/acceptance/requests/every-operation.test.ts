import { describe, expect, test } from 'vitest';
import { createToken } from '../../domain/account/token.js';
import { loadContract } from '../../http/contract/contract.js';
import { foundOrganization, testApp } from '../../testing/app/test-app.js';
import { SAMPLE_REQUESTS } from '../../testing/fixtures/requests.js';

const { operations } = loadContract();
const secured = operations.filter(({ abilities }) => abilities !== undefined);
const demanding = secured.filter(({ abilities = [] }) => abilities.length > 0);

describe.each(secured)('$id', ({ id, abilities = [], rateLimitClass }) => {
  const { method, path, body } = SAMPLE_REQUESTS[id];

  test('answers 401 without a valid token, whatever is wrong with it', async () => {
    const app = await testApp();
    const now = app.deps.now();
    const expired = await foundOrganization(app.deps, { expiresAt: now });
    const revoked = await foundOrganization(app.deps, { revokedAt: now });
    const unknown = createToken();
    const bearer = [unknown, expired.token, revoked.token, '', `${app.token}x`].map((token) => `Bearer ${token}`);
    const credentials = [undefined, app.token, `Basic ${app.token}`, ...bearer];

    const answers = await Promise.all(
      credentials.map((authorization) => app.send(method, path, body, { authorization })),
    );

    expect(answers.map(({ status }) => status)).toEqual(credentials.map(() => 401));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers[0]).toMatchObject({ body: { code: 'unauthenticated' }, headers: { 'www-authenticate': 'Bearer' } });
  });

  test('answers the same 403 organization_forbidden for every organization except the caller’s', async () => {
    const app = await testApp();
    const other = await foundOrganization(app.deps);
    const ids = [other.organizationId, app.deps.newId(), 'x', '', `${app.organizationId}, ${other.organizationId}`];

    const answers = await Promise.all(ids.map((named) => app.send(method, path, body, { 'x-organization-id': named })));

    expect(answers.map(({ status }) => status)).toEqual(ids.map(() => 403));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers[0]?.body).toMatchObject({ code: 'organization_forbidden' });
  });

  test('answers 403 organization_forbidden if the token is bound to another organization than the header names', async () => {
    const app = await testApp();
    const bound = await foundOrganization(app.deps, { abilities: ['*', `organization:${app.organizationId}`] });

    const authorization = `Bearer ${bound.token}`;
    const alone = await app.send(method, path, body, { authorization });
    const named = await app.send(method, path, body, { authorization, 'x-organization-id': bound.organizationId });

    expect([alone, named]).toMatchObject([
      { status: 403, body: { code: 'organization_forbidden' } },
      { status: 403, body: { code: 'organization_forbidden' } },
    ]);
  });

  test('accepts a token with its ability, for the organization that the header names', async () => {
    const app = await testApp();
    const { token, organizationId } = await foundOrganization(app.deps, { abilities });

    const headers = { authorization: `Bearer ${token}`, 'x-organization-id': organizationId.toUpperCase() };
    const answer = await app.send(method, path, body, headers);

    expect([200, 201, 202, 204, 404]).toContain(answer.status);
  });

  test('answers 429 rate_limited with Retry-After in whole seconds, rounded up, when the minute is used up', async () => {
    const app = await testApp();
    app.rateLimiter.state = { allowed: false, limit: 60, remaining: 0, resetMs: 11_001 };

    const answer = await app.send(method, path, body);

    expect(answer).toMatchObject({
      status: 429,
      body: { code: 'rate_limited' },
      headers: {
        'retry-after': '12',
        'ratelimit-policy': `"${rateLimitClass}";q=60;w=60`,
        ratelimit: `"${rateLimitClass}";r=0;t=12`,
        'x-ratelimit-limit': '60',
        'x-ratelimit-remaining': '0',
      },
    });
  });

  test('counts one request of its class for the organization and credential, and returns what is left', async () => {
    const app = await testApp();

    const answer = await app.send(method, path, body);

    expect(app.rateLimiter.consumed).toEqual([
      {
        limitClass: rateLimitClass,
        organizationId: app.organizationId,
        credentialId: expect.any(String),
        userId: expect.any(String),
      },
    ]);
    expect(answer.headers).toMatchObject({ ratelimit: `"${rateLimitClass}";r=59;t=60`, 'x-ratelimit-remaining': '59' });
  });

  test('returns the limit of the person if all their credentials together have less left', async () => {
    const app = await testApp();
    app.rateLimiter.state = { allowed: true, limit: 120, remaining: 3, resetMs: 9_000, isOfPerson: true };

    const { headers } = await app.send(method, path, body);

    expect(headers).toMatchObject({
      'ratelimit-policy': `"${rateLimitClass}-person";q=120;w=60`,
      ratelimit: `"${rateLimitClass}-person";r=3;t=9`,
      'x-ratelimit-limit': '120',
      'x-ratelimit-remaining': '3',
    });
  });

  test('answers 503 service_unavailable with Retry-After while the store is down', async () => {
    const app = await testApp();
    app.store.down = 'everything';

    const answer = await app.send(method, path, body);

    expect(answer).toMatchObject({
      status: 503,
      body: { code: 'service_unavailable' },
      headers: { 'retry-after': '5' },
    });
    expect(app.logged).toMatchObject([{ level: 'warn', status: 503, err: { name: 'StoreUnavailableError' } }]);
  });
});

describe.each(demanding)('$id, which requires an ability,', ({ id, abilities = [] }) => {
  const { method, path, body } = SAMPLE_REQUESTS[id];

  test('answers 403 ability_denied to a token with all other abilities', async () => {
    const app = await testApp();
    const all = ['memory:ingest', 'memory:search', 'memory:admin', 'settings:admin'];
    const { token } = await foundOrganization(app.deps, { abilities: all.filter((each) => !abilities.includes(each)) });

    const answer = await app.send(method, path, body, { authorization: `Bearer ${token}` });

    expect(answer).toMatchObject({
      status: 403,
      body: { code: 'ability_denied', error: expect.stringContaining(abilities[0]!) },
    });
  });
});
