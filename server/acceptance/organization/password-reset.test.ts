import { describe, expect, test, vi } from 'vitest';
import { MemoryRateLimiter } from '../../adapters/rate-limiter/memory-rate-limiter.js';
import { type Mail, type Mailer, MailUnavailableError } from '../../ports/mailer.js';
import { browser, PASSWORD, person, signedIn } from '../../testing/app/sign-in.js';
import { foundOrganization, member, type TestApp, type TestOverrides, testApp } from '../../testing/app/test-app.js';

const REQUEST = '/api/session/password/reset-requests';
const RESET = '/api/session/password/reset';
const NONE = { authorization: undefined };
const NEW = 'quite another phrase';
const PLENTY = 1_000_000;

async function mailApp(overrides: TestOverrides = {}): Promise<{ app: TestApp; mails: Mail[] }> {
  const mails: Mail[] = [];
  const mailer: Mailer = { send: async (mail) => void mails.push(mail) };
  return { app: await testApp({ mailer, ...overrides }), mails };
}

function request(app: TestApp, email: string) {
  return app.send('POST', REQUEST, { email }, NONE);
}

function reset(app: TestApp, code: string, newPassword = NEW) {
  return app.send('POST', RESET, { code, newPassword }, NONE);
}

async function codeFrom(mails: readonly Mail[]): Promise<string> {
  await vi.waitFor(() => expect(mails).not.toEqual([]));
  return /https:\/\/memory\.example\.test\/welcome#([\w-]{43})\n/.exec(mails.at(-1)?.text ?? '')?.[1] ?? '';
}

describe('requestPasswordReset', () => {
  test('mails a link to the address of the account, in its spelling', async () => {
    const { app, mails } = await mailApp();
    const { email } = await person(app, 'member');

    const answer = await request(app, email.toUpperCase());
    const code = await codeFrom(mails);
    const preview = await app.send('POST', '/api/session/links/preview', { code }, NONE);

    expect(answer).toMatchObject({ status: 202, body: { sendsMail: true } });
    expect(mails).toMatchObject([{ to: email, subject: 'A new password for Memory Service' }]);
    expect(preview.body).toMatchObject({ email, setsPassword: true });
    expect(JSON.stringify(app.logged)).not.toContain(code);
  });

  test('answers known and unknown addresses alike, without waiting for the mail server', async () => {
    let deliver = () => {};
    const sending = new Promise<void>((resolve) => {
      deliver = resolve;
    });
    const { app } = await mailApp({ mailer: { send: () => sending } });
    const { email } = await person(app, 'member');

    const answers = [await request(app, email), await request(app, 'nobody@example.test')];
    deliver();

    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });

  test('answers alike while the mail server is down, and logs that without the address', async () => {
    const { app } = await mailApp({ mailer: { send: () => Promise.reject(new MailUnavailableError('down')) } });
    const { email } = await person(app, 'member');

    const answer = await request(app, email);

    await app.deps.background[Symbol.asyncDispose]();

    expect(answer.status).toBe(202);
    expect(app.logged).toContainEqual(
      expect.objectContaining({ level: 'warn', err: expect.any(MailUnavailableError) }),
    );
    expect(JSON.stringify(app.logged)).not.toContain(email);
  });

  test('mails nothing if the service cannot send mail, and says so for every address', async () => {
    const app = await testApp();
    const { email } = await person(app, 'member');

    const answers = [await request(app, email), await request(app, 'nobody@example.test')];

    expect(answers.map(({ body }) => body)).toEqual([{ sendsMail: false }, { sendsMail: false }]);
  });

  test('mails a person at most three links at a time', async () => {
    let now = 1_700_000_000_000_000;
    const { app, mails } = await mailApp({ now: () => now });
    const { email } = await person(app, 'member');

    for (let n = 0; n < 5; n += 1) {
      await request(app, email);
      await app.deps.background[Symbol.asyncDispose]();
    }
    const before = mails.length;
    now += 15 * 60_000_000;
    await request(app, email);
    await app.deps.background[Symbol.asyncDispose]();

    expect([before, mails.length]).toEqual([3, 4]);
  });

  test('is limited like a sign-in, by address and account', async () => {
    const limits = { ingest: PLENTY, search: PLENTY, admin: PLENTY, tools: PLENTY };
    const rateLimiter = new MemoryRateLimiter({ ...limits, signIn: 2, signInAddress: 5, signInAccount: PLENTY });
    const { app } = await mailApp({ rateLimiter });
    const { email } = await person(app, 'member');
    const nobody = 'nobody@example.test';

    const statuses = [];
    for (const address of [email, email, email, nobody, nobody]) statuses.push((await request(app, address)).status);

    expect(statuses).toEqual([202, 202, 429, 202, 202]);
    expect((await request(app, 'another@example.test')).status).toBe(429);
  });

  test('is recorded for the owners, with the address that it came from', async () => {
    const { app, mails } = await mailApp();
    const { email, userId } = await person(app, 'member');

    await request(app, email);
    await codeFrom(mails);

    const { body } = await app.send('GET', '/api/organization/audit-events?action=sign_in_link.create');
    expect(body.auditEvents).toMatchObject([
      { actor: { type: 'system', id: 'password reset' }, ip: '127.0.0.1', metadata: { targetId: userId } },
    ]);
  });
});

describe('resetPassword', () => {
  test('sets the password, ends all sessions and links of the person, and begins a session', async () => {
    const { app, mails } = await mailApp();
    const somebody = await person(app, 'member');
    const there = browser(app, await signedIn(app, somebody));
    const other = String((await there('POST', '/api/session/links')).body.link).split('#')[1];
    await request(app, somebody.email);

    const answer = await reset(app, await codeFrom(mails));
    const [cookie = ''] = answer.headers['set-cookie'] ?? [];
    const here = browser(app, { cookie: cookie.split(';')[0] });
    const signIn = (password: string) => app.send('POST', '/api/session', { email: somebody.email, password }, NONE);

    expect(answer).toMatchObject({ status: 201, body: { user: { id: somebody.userId } } });
    expect([(await here('GET', '/api/session')).status, (await there('GET', '/api/session')).status]).toEqual([
      200, 401,
    ]);
    expect((await app.send('POST', '/api/session/links/redeem', { code: other }, NONE)).status).toBe(404);
    expect([(await signIn(PASSWORD)).status, (await signIn(NEW)).status]).toEqual([401, 201]);
  });

  test('works once, and not with a link that a token or a session made', async () => {
    const { app, mails } = await mailApp();
    const somebody = await person(app, 'member');
    const send = browser(app, await signedIn(app, somebody));
    const own = String((await send('POST', '/api/session/links')).body.link).split('#')[1] ?? '';
    await request(app, somebody.email);
    const code = await codeFrom(mails);

    const short = await reset(app, code, 'elevenchars');
    const weak = await reset(app, own);
    const answers = await Promise.all([reset(app, code), reset(app, code)]);

    expect(short).toMatchObject({ status: 422, body: { details: [{ path: 'newPassword' }] } });
    expect(weak).toMatchObject({ status: 404, body: { code: 'sign_in_link_invalid' } });
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 404]);
  });
});

describe('the first password', () => {
  test('is set in a session that a link began, without a current password', async () => {
    const app = await testApp();
    const { headers, email } = await member(app, 'readonly', ['settings:admin']);
    const code = String((await app.send('POST', '/api/session/links', undefined, headers)).body.link).split('#')[1];
    const begun = await app.send('POST', '/api/session/links/redeem', { code }, NONE);
    const [cookie = ''] = begun.headers['set-cookie'] ?? [];
    const send = browser(app, { cookie: cookie.split(';')[0], 'x-csrf-token': String(begun.body.csrfToken) });

    const set = await send('PUT', '/api/session/password', { newPassword: NEW });

    expect(set.status).toBe(204);
    expect((await app.send('POST', '/api/session', { email, password: NEW }, NONE)).status).toBe(201);
  });

  test('is not set by a token that is bound to one of several organizations', async () => {
    const app = await testApp();
    const bound = await member(app, 'owner', ['settings:admin', `organization:${app.organizationId}`]);
    const other = await foundOrganization(app.deps);
    await app.deps.store.transact(other.organizationId, ({ accounts }) =>
      accounts.insertMember({ userId: bound.userId, role: 'readonly', joinedAt: 1 }),
    );

    const answer = await app.send('PUT', '/api/session/password', { newPassword: NEW }, bound.headers);

    expect(answer).toMatchObject({ status: 403, body: { code: 'organization_forbidden' } });
  });
});
