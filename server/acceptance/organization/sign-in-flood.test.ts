import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { deriveKey } from '../../adapters/password/derive-key.js';
import { ScryptPasswords } from '../../adapters/password/scrypt-passwords.js';
import { MemoryRateLimiter } from '../../adapters/rate-limiter/memory-rate-limiter.js';
import type { Deps } from '../../deps.js';
import { parseAddressRange } from '../../domain/account/client-address.js';
import { BOUNDS } from '../../domain/fairness/bounds.js';
import { browser, PASSWORD, person, signedIn } from '../../testing/app/sign-in.js';
import { type TestApp, testApp } from '../../testing/app/test-app.js';

const PATH = '/api/session';
const HOME = '198.51.100.7';
const PLENTY = 1_000_000;
const LIMITS = { ingest: PLENTY, search: PLENTY, admin: PLENTY, tools: PLENTY };
/** The limits in production. */
const SIGN_IN_LIMITS = { signIn: 10, signInAddress: 60, signInAccount: 100 };

/** Opens the service behind a proxy, which reports the address of each client. */
function openApp(overrides: Partial<Deps> = {}): Promise<TestApp> {
  const rateLimiter = new MemoryRateLimiter({ ...LIMITS, ...SIGN_IN_LIMITS });
  return testApp({ rateLimiter, ...overrides }, { trustedProxies: [parseAddressRange('127.0.0.1')!] });
}

async function attempt(app: TestApp, from: string, email: string, password: string): Promise<number> {
  const headers = { authorization: undefined, 'x-forwarded-for': from };
  return (await app.send('POST', PATH, { email, password }, headers)).status;
}

/** Guesses from many addresses, each up to its limit, until the account is locked. */
async function flood(app: TestApp, email: string): Promise<number[]> {
  const statuses: number[] = [];
  for (let n = 0; n < 12; n += 1) {
    for (let count = 0; count < 10; count += 1) {
      statuses.push(await attempt(app, `203.0.113.${n}`, email, 'a guess of somebody'));
    }
  }
  return statuses;
}

test('a flood against an account is stopped, and its owner can sign in from a known address', async () => {
  const app = await openApp();
  const { email } = await person(app, 'owner');
  const before = await attempt(app, HOME, email, PASSWORD);

  const guesses = await flood(app, email);
  const fromHome = await attempt(app, HOME, email, PASSWORD);
  const fromElsewhere = await attempt(app, '192.0.2.1', email, PASSWORD);

  expect(before).toBe(201);
  expect(guesses.filter((status) => status === 401)).toHaveLength(99);
  expect(guesses.slice(99).every((status) => status === 429)).toBe(true);
  expect(fromHome).toBe(201);
  expect(fromElsewhere).toBe(429);
});

test('a flood against an account affects neither its sessions nor the change of its password', async () => {
  const app = await openApp();
  const owner = await person(app, 'owner');
  const send = browser(app, await signedIn(app, owner));

  await flood(app, owner.email);
  const self = await send('GET', PATH);
  const change = { currentPassword: PASSWORD, newPassword: `${PASSWORD}, and a new one` };
  const changed = await send('PUT', `${PATH}/password`, change);

  expect([self.status, changed.status]).toEqual([200, 204]);
});

test('a flood against one account does not affect other accounts', async () => {
  const app = await openApp();
  const [attacked, other] = [await person(app, 'owner'), await person(app, 'member')];

  await flood(app, attacked.email);

  expect(await attempt(app, '192.0.2.1', other.email, PASSWORD)).toBe(201);
});

test('an address that the account knows may guess ten times a minute, and no more', async () => {
  const app = await openApp();
  const { email } = await person(app, 'owner');
  await attempt(app, HOME, email, PASSWORD);

  const statuses = [];
  for (let count = 0; count < 11; count += 1) statuses.push(await attempt(app, HOME, email, 'a guess of somebody'));

  expect(statuses).toEqual([...Array(9).fill(401), 429, 429]);
});

test('an address may try sixty times a minute over all accounts, known or not', async () => {
  const app = await openApp();
  const { email } = await person(app, 'owner');

  const statuses = [];
  for (let n = 0; n < 60; n += 1) statuses.push(await attempt(app, HOME, `${n}@example.test`, 'a guess of somebody'));
  const right = await attempt(app, HOME, email, PASSWORD);

  expect(statuses).toEqual(Array(60).fill(401));
  expect(right).toBe(429);
});

test('a sign-in whose turn does not come within 5 s is rejected, with the full share and Retry-After', async () => {
  const passwords = new ScryptPasswords({ N: 2, p: 1 }, async (order) => deriveKey(order));
  const { turns } = passwords;
  const app = await openApp({ passwords });
  const { email } = await person(app, 'owner');
  const busy = ['192.0.2.1', '192.0.2.2'].map((id) => turns.take([{ kind: 'address', id }]));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const body = { email, password: PASSWORD };
  const signIn = app.send('POST', PATH, body, { authorization: undefined, 'x-forwarded-for': HOME });
  while (turns.use.waiting === 0) await setImmediate();

  vi.advanceTimersByTime(BOUNDS.passwords.maxWaitMs);
  vi.useRealTimers();
  const refused = await signIn;
  for (const lease of busy) lease.release();

  expect(refused).toMatchObject({
    status: 503,
    headers: { 'retry-after': '2' },
    body: { code: 'service_unavailable' },
  });
  expect(refused.body.error).toBe(
    'The service already has other passwords waiting, and no turn came within 5 s: try again',
  );
  expect(await attempt(app, HOME, email, PASSWORD)).toBe(201);
});

test('neither the store nor the log contains an address that somebody signed in from', async () => {
  const app = await openApp();
  const { email } = await person(app, 'owner');

  await attempt(app, HOME, email, PASSWORD);
  await attempt(app, HOME, email, 'a guess of somebody');
  const user = await app.deps.store.accounts.findUserByEmail(email);

  expect(user?.signInPlaces).toEqual([{ digest: expect.stringMatching(/^[0-9a-f]{64}$/), at: expect.any(Number) }]);
  expect(JSON.stringify([user, app.logged])).not.toContain(HOME);
});
