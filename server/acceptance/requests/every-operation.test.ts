import { describe, expect, test } from 'vitest';
import { createToken } from '../../domain/account/token.js';
import { loadContract } from '../../http/contract/contract.js';
import type { SentHeaders } from '../../testing/app/http-client.js';
import { credentialFor } from '../../testing/app/sign-in.js';
import { foundOrganization, type TestOverrides, testApp } from '../../testing/app/test-app.js';
import { SAMPLE_REQUESTS } from '../../testing/fixtures/requests.js';

const { operations } = loadContract();
const secured = operations.filter(({ abilities }) => abilities !== undefined);
const demanding = secured.filter(({ abilities = [] }) => abilities.length > 0);
const withBody = operations.filter(({ hasBody, hasRawBody }) => hasBody && !hasRawBody);

const NO_JSON: [string, string | Buffer | undefined, SentHeaders?][] = [
  ['nothing', undefined],
  ['nothing, declared as JSON', '', { 'content-type': 'application/json' }],
  ['white space', ' \n'],
  ['half an object', '{"content":'],
  ['two objects', '{}{}'],
  ['a comma too many', '{"content":"a",}'],
  ['a JavaScript object literal', "{content:'a'}"],
  ['NaN', 'NaN'],
  ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
  ['a lone surrogate', Buffer.from([0x22, 0xc3, 0x22])],
  ['UTF-16', Buffer.from('{}', 'utf16le')],
];

const OTHER_TYPES = [
  undefined,
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/merge-patch+json',
  'application/jsonp',
  'application/json; charset=iso-8859-1',
  '',
];

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

describe.each(withBody)('the body of $id', ({ id, sessionOnly }) => {
  const { method, path, body } = SAMPLE_REQUESTS[id];

  /** Opens an app, and returns how to send this operation with the credential that it needs. */
  async function bodyApp(overrides?: TestOverrides) {
    const app = await testApp(overrides);
    const credential = await credentialFor(app, { sessionOnly });
    return (sent: unknown, headers?: SentHeaders) => app.send(method, path, sent, { ...credential, ...headers });
  }

  test('answers 400 invalid_json if it is not JSON', async () => {
    const send = await bodyApp();

    for (const [what, sent, headers] of NO_JSON) {
      const answer = await send(sent, headers);

      expect(answer, what).toMatchObject({ status: 400, body: { code: 'invalid_json' } });
    }
  });

  test('answers 415 to every other content type', async () => {
    const send = await bodyApp();

    for (const type of OTHER_TYPES) {
      const answer = await send(body, { 'content-type': type });

      expect(answer, type).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
    }
  });

  test('answers 415 if it is compressed', async () => {
    const send = await bodyApp();

    const answer = await send(body, { 'content-encoding': 'gzip' });

    expect(answer.status).toBe(415);
  });

  test.each(['application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"', 'application/json ; odata=none'])(
    'is accepted with content type %s',
    async (type) => {
      const send = await bodyApp();

      const answer = await send(body, { 'content-type': type });

      expect([200, 201, 202, 204, 401, 404]).toContain(answer.status);
    },
  );

  test('answers 413 beyond the maximum size, and names it', async () => {
    const max = ['ingestMemoryBatch', 'importMemories'].includes(id) ? 4_000 : 2_000;
    const send = await bodyApp({ limits: { bodyBytes: 2_000, batchBodyBytes: 4_000 } });

    const fits = await send(' '.repeat(max));
    const over = await send(' '.repeat(max + 1));
    const unannounced = await send(' '.repeat(max + 1), { 'transfer-encoding': 'chunked' });

    expect(fits.status).toBe(400);
    for (const answer of [over, unannounced]) {
      expect(answer).toMatchObject({
        status: 413,
        body: { code: 'payload_too_large', max },
        headers: { connection: 'close' },
      });
    }
  });

  test('answers 422 to 33 levels, without parsing them', async () => {
    const send = await bodyApp();
    const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

    const taken = await send(deep(32));
    const over = await send(deep(33));
    const far = await send('{"a":'.repeat(100_000));
    const quoted = await send(JSON.stringify({ content: `"\\${'['.repeat(100)}` }));

    expect(taken.body).toMatchObject({ details: [{ message: 'must be an object' }] });
    expect([over, far]).toMatchObject([{ status: 422 }, { status: 422 }]);
    expect([over.body.error, far.body.error]).toEqual(Array(2).fill(expect.stringContaining('32 levels')));
    expect(quoted.body.error).not.toEqual(over.body.error);
  });
});
