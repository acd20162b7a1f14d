import { describe, expect, test } from 'vitest';
import type { AppOptions } from '../../app.js';
import { parseAddressRange } from '../../domain/account/client-address.js';
import type { SentHeaders } from '../../testing/app/http-client.js';
import { PASSWORD, person } from '../../testing/app/sign-in.js';
import { type TestApp, testApp } from '../../testing/app/test-app.js';
import { ToolClient } from '../../testing/app/tool-client.js';

const CLIENT = '203.0.113.7';
const FORGED = '198.51.100.66';

/** Trusts a proxy on the same machine, and one in front of it. */
const PROXIED: AppOptions = { trustedProxies: ['127.0.0.1', '10.0.0.0/8'].map((text) => parseAddressRange(text)!) };

/** Returns the address in the last audit event of the organization. */
async function audited(app: TestApp): Promise<unknown> {
  const { body } = await app.send('GET', '/api/organization/audit-events?limit=1');
  return (body.auditEvents as { ip?: string }[])[0]?.ip;
}

async function write(app: TestApp, headers: SentHeaders): Promise<unknown> {
  await app.send('POST', '/api/memories', { content: app.deps.newId() }, headers);
  return audited(app);
}

describe('a request through a trusted proxy', () => {
  test('is audited under the address of the client, whatever else its headers claim', async () => {
    const app = await testApp({}, PROXIED);

    expect(await write(app, { 'x-forwarded-for': `${FORGED}, ${CLIENT}, 10.0.0.9` })).toBe(CLIENT);
    expect(await write(app, { 'x-forwarded-for': [FORGED, `${CLIENT}:4711`, '10.0.0.9'] })).toBe(CLIENT);
    expect(await write(app, {})).toBe('127.0.0.1');
  });

  test('counts attempts to sign in and to accept an invitation under the address of the client', async () => {
    const app = await testApp({}, PROXIED);
    const headers = { authorization: undefined, 'x-forwarded-for': `${FORGED}, ${CLIENT}` };
    const given = { email: 'a@example.test', password: PASSWORD };

    await app.send('POST', '/api/session', given, headers);
    await app.send('POST', '/api/invitations/accept', { ...given, token: 'A'.repeat(43) }, headers);

    const addresses = app.rateLimiter.consumed.filter(({ limitClass }) => limitClass === 'signInAddress');
    const [ofSession, ofInvitation] = addresses.map(({ credentialId }) => credentialId);
    expect(ofInvitation).toBe(ofSession);
    const [ofClient] = app.deps.secretBox.digests(CLIENT, 'memory-service sign-in counter');
    expect(ofSession).toBe(ofClient);
  });

  test('counts the attempts of a whole IPv6 network as those of one client', async () => {
    const app = await testApp({}, PROXIED);
    const attempt = (client: string) => {
      const headers = { authorization: undefined, 'x-forwarded-for': client };
      return app.send('POST', '/api/session', { email: 'a@example.test', password: PASSWORD }, headers);
    };

    for (const client of ['2001:db8::1', '2001:db8::ffff:2', '2001:db8:0:1::1']) await attempt(client);

    const addresses = app.rateLimiter.consumed.filter(({ limitClass }) => limitClass === 'signInAddress');
    const [one, same, other] = addresses.map(({ credentialId }) => credentialId);
    expect(same).toBe(one);
    expect(other).not.toBe(one);
  });

  test('is audited under that address also for a tool call', async () => {
    const app = await testApp({}, PROXIED);
    const tools = await ToolClient.connect(app, { 'x-forwarded-for': `${FORGED}, ${CLIENT}` });

    await tools.call('memory_ingest', { content: 'Deploys run on Fridays.' });

    expect(await audited(app)).toBe(CLIENT);
  });

  test('gets no metrics without the token, though it comes from this machine and claims so of its client', async () => {
    const app = await testApp({}, PROXIED);
    const read = (headers: SentHeaders) =>
      app.send('GET', '/metrics', undefined, { authorization: undefined, ...headers });

    expect((await read({ 'x-forwarded-for': '127.0.0.1' })).status).toBe(401);
    expect((await read({})).status).toBe(200);
  });
});

describe('a request through an untrusted proxy', () => {
  test('has the address of its connection, whatever its headers say', async () => {
    const app = await testApp();
    const elsewhere = await testApp({}, { trustedProxies: [parseAddressRange('10.0.0.0/8')!] });
    const headers = { 'x-forwarded-for': CLIENT, 'x-real-ip': CLIENT, forwarded: `for=${CLIENT}` };

    expect([await write(app, headers), await write(elsewhere, headers)]).toEqual(['127.0.0.1', '127.0.0.1']);
  });
});

describe('the headers for the protocol and host of the client', () => {
  test('change nothing: the session cookie is as configured', async () => {
    const app = await testApp({}, PROXIED);
    const { email } = await person(app, 'member');
    const signIn = (headers: SentHeaders) =>
      app.send('POST', '/api/session', { email, password: PASSWORD }, { authorization: undefined, ...headers });

    const direct = await signIn({});
    const proxied = await signIn({ 'x-forwarded-proto': 'https', 'x-forwarded-host': 'evil.example' });

    const [cookie] = proxied.headers['set-cookie'] ?? [];
    expect(cookie).toMatch(/^memory_session=[^;]+; Path=\/; HttpOnly; SameSite=Lax$/);
    expect(Object.keys(proxied.headers)).toEqual(Object.keys(direct.headers));
  });
});
