import { describe, expect, test } from 'vitest';
import { type Mail, MailUnavailableError } from '../../ports/mailer.js';
import type { Passwords } from '../../ports/passwords.js';
import { acceptInvitation } from '../../services/organization/accept-invitation.js';
import type { Answer } from '../../testing/app/http-client.js';
import { PASSWORD, person, signedIn } from '../../testing/app/sign-in.js';
import { foundOrganization, member, type TestApp, testApp } from '../../testing/app/test-app.js';
import { replaceMethods } from '../../testing/runner/replace-methods.js';

const PATH = '/api/organization/invitations';
const ACCEPT = '/api/invitations/accept';
const EMAIL = 'Ben@Example.test';
const DAY = 24 * 3_600_000_000;

async function invited(app: TestApp, email = EMAIL, role = 'member'): Promise<{ id: string; token: string }> {
  const { body } = await app.send('POST', PATH, { email, role });
  return { id: String(body.id), token: String(body.link).split('/').pop() ?? '' };
}

interface Given {
  token: string;
  email?: string;
  password?: string;
}

function accept(app: TestApp, { token, email = EMAIL, password = PASSWORD }: Given): Promise<Answer> {
  return app.send('POST', ACCEPT, { token, email, password }, { authorization: undefined });
}

describe('createInvitation', () => {
  test('returns the link to the inviting owner if no mail can be sent', async () => {
    const app = await testApp();

    const answer = await app.send('POST', PATH, { email: EMAIL, role: 'readonly' });

    expect(answer).toMatchObject({ status: 201, body: { email: EMAIL, role: 'readonly', sent: false } });
    expect(answer.body.link).toMatch(/^https:\/\/memory\.example\.test\/invitations\/accept\/[\w-]{43}$/);
    expect((await app.send('GET', PATH)).text).not.toContain(String(answer.body.link).slice(-43));
  });

  test('sends the link only to the invitee if mail can be sent', async () => {
    const sent: Mail[] = [];
    const app = await testApp({ mailer: { send: async (mail) => void sent.push(mail) } });

    const answer = await app.send('POST', PATH, { email: EMAIL, role: 'member' });

    expect(answer).toMatchObject({ status: 201, body: { sent: true } });
    expect(answer.body).not.toHaveProperty('link');
    expect(sent).toMatchObject([{ to: EMAIL, subject: 'Invitation to default' }]);
    const token = /accept\/([\w-]{43})\n/.exec(sent[0]!.text)?.[1] ?? '';
    expect((await accept(app, { token })).status).toBe(200);
  });

  test('keeps no invitation if the mail cannot be sent', async () => {
    const mailer = { send: () => Promise.reject(new MailUnavailableError('down')) };
    const app = await testApp({ mailer });

    const answer = await app.send('POST', PATH, { email: EMAIL, role: 'member' });

    expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '60' } });
    expect((await app.send('GET', PATH)).body).toMatchObject({ invitations: [] });
  });

  test('reports that the mail could not be sent, also if another invitation replaced this one meanwhile', async () => {
    let sent = 0;
    const send = async () => {
      sent += 1;
      if (sent > 1) return;
      await app.send('POST', PATH, { email: EMAIL, role: 'readonly' });
      throw new MailUnavailableError('down');
    };
    const app = await testApp({ mailer: { send } });

    const answer = await app.send('POST', PATH, { email: EMAIL, role: 'member' });

    expect(answer).toMatchObject({ status: 503, body: { code: 'service_unavailable' } });
    expect((await app.send('GET', PATH)).body).toMatchObject({ invitations: [{ email: EMAIL, role: 'readonly' }] });
  });

  test('invalidates the earlier link to the same address', async () => {
    const app = await testApp();
    const first = await invited(app);
    const second = await invited(app, EMAIL.toLowerCase());

    expect([(await accept(app, first)).status, (await accept(app, second)).status]).toEqual([404, 200]);
  });

  test('rejects the address of a member, and an invalid one', async () => {
    const app = await testApp();
    const { email } = await member(app, 'readonly', []);

    const known = await app.send('POST', PATH, { email: email.toUpperCase(), role: 'member' });
    const bad = await Promise.all(
      ['ben', 'ben@', '@x', 'a b@c', 'a@b@c', 'a@b\n'].map((text) =>
        app.send('POST', PATH, { email: text, role: 'member' }),
      ),
    );

    expect(known).toMatchObject({ status: 409, body: { code: 'already_member' } });
    expect(bad.map(({ status }) => status)).toEqual(bad.map(() => 422));
  });

  test('requires an owner', async () => {
    const app = await testApp();
    const { headers } = await member(app, 'member', ['*']);

    const answer = await app.send('POST', PATH, { email: EMAIL, role: 'owner' }, headers);

    expect(answer).toMatchObject({ status: 403, body: { code: 'owner_required' } });
  });
});

describe('acceptInvitation', () => {
  test('makes a new user a member with the chosen role, who can sign in', async () => {
    const app = await testApp();
    const { token, id } = await invited(app, EMAIL, 'readonly');

    const answer = await accept(app, { token, email: EMAIL.toUpperCase() });

    expect(answer).toMatchObject({
      status: 200,
      body: { user: { email: EMAIL }, organization: { id: app.organizationId, role: 'readonly' } },
    });
    const headers = await signedIn(app, { userId: '', email: EMAIL });
    expect((await app.send('GET', '/api/session', undefined, { ...headers, authorization: undefined })).status).toBe(
      200,
    );
    const { body } = await app.send('GET', '/api/organization/audit-events?action=invitation.accept');
    const { id: userId } = answer.body.user as { id: string };
    expect(body.auditEvents).toMatchObject([
      { actor: { type: 'user', id: userId }, metadata: { targetId: id, role: 'readonly' } },
    ]);
  });

  test('makes one membership of fifty requests at the same time', async () => {
    const app = await testApp();
    const { token } = await invited(app);

    const answers = await Promise.all(Array.from({ length: 50 }, () => accept(app, { token })));

    const [first, ...others] = answers.map(({ status }) => status).sort();
    expect(first).toBe(200);
    // Requests that find the password queue full answer 503.
    expect(others.filter((status) => status !== 404 && status !== 503)).toEqual([]);
    const { body } = await app.send('GET', '/api/organization/members');
    expect(body.members).toHaveLength(2);
  });

  test('makes one user of two invitations that a new person accepts at the same time', async () => {
    const app = await testApp();
    const other = await foundOrganization(app.deps);
    const authorization = `Bearer ${other.token}`;
    const there = await app.send('POST', PATH, { email: EMAIL, role: 'member' }, { authorization });
    const here = await invited(app);

    const answers = await Promise.all([
      accept(app, here),
      accept(app, { token: String(there.body.link).split('/').pop() ?? '' }),
    ]);

    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const [one, two] = answers.map(({ body }) => (body.user as { id: string }).id);
    expect(one).toBe(two);
  });

  test('accepts a user who was created while their password was hashed, if the password is theirs', async () => {
    const app = await testApp();
    const other = await foundOrganization(app.deps);
    const authorization = `Bearer ${other.token}`;
    const [right, wrong] = [{ password: PASSWORD }, { password: 'another long and secret phrase' }];
    const outcomes = [];
    for (const { password } of [right, wrong]) {
      const email = `${password}@example.test`.replaceAll(' ', '.');
      const there = await app.send('POST', PATH, { email, role: 'member' }, { authorization });
      const here = await invited(app, email);
      const hash: Passwords['hash'] = async (text, asker) => {
        await accept(app, { ...here, email });
        return app.deps.passwords.hash(text, asker);
      };
      const deps = { ...app.deps, passwords: replaceMethods(app.deps.passwords, { hash }) };
      const token = String(there.body.link).split('/').pop() ?? '';
      const joined = acceptInvitation(deps, { requestId: 'r' }, { token, email, password });
      outcomes.push(await joined.then(({ organization }) => organization.organizationId).catch(({ name }) => name));
    }

    expect(outcomes).toEqual([other.organizationId, 'InvitationInvalidError']);
  });

  test('gives the same answer for every reason to reject', async () => {
    let now = 1_700_000_000_000_000;
    const app = await testApp({ now: () => now });
    const known = await person(app, 'member');
    await app.send('DELETE', `/api/organization/members/${known.userId}`);
    const [used, revoked, expired] = [
      await invited(app),
      await invited(app, 'revoked@example.test'),
      await invited(app, 'expired@example.test'),
    ];
    await accept(app, used);
    await app.send('DELETE', `${PATH}/${revoked.id}`);
    now += 7 * DAY;
    const [pending, ofKnown] = [await invited(app, 'pending@example.test'), await invited(app, known.email)];

    const answers = [
      await accept(app, { token: 'x' }),
      await accept(app, { token: 'A'.repeat(43) }),
      await accept(app, used),
      await accept(app, { ...revoked, email: 'revoked@example.test' }),
      await accept(app, { ...expired, email: 'expired@example.test' }),
      await accept(app, { ...pending, email: 'other@example.test' }),
      await accept(app, { token: ofKnown.token, email: known.email, password: 'not the password' }),
    ].map(({ status, text }) => ({ status, text }));

    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]).toMatchObject({ status: 404, text: expect.stringContaining('invitation_invalid') });
  });

  test('accepts a user who has a password with that password, and does not change it', async () => {
    const app = await testApp();
    const other = await foundOrganization(app.deps);
    const known = await person(app, 'member');
    const authorization = `Bearer ${other.token}`;
    const { body } = await app.send('POST', PATH, { email: known.email, role: 'readonly' }, { authorization });

    const answer = await accept(app, { token: String(body.link).split('/').pop() ?? '', email: known.email });

    expect(answer).toMatchObject({ status: 200, body: { user: { id: known.userId } } });
    expect((await signedIn(app, known)).cookie).toMatch(/^memory_session=/);
  });

  test('sets no password for an account without one, because the inviter may know the link', async () => {
    const app = await testApp();
    const victim = await member(app, 'owner', []);
    const other = await foundOrganization(app.deps);
    const authorization = `Bearer ${other.token}`;
    const { body } = await app.send('POST', PATH, { email: victim.email, role: 'member' }, { authorization });

    await accept(app, { token: String(body.link).split('/').pop() ?? '', email: victim.email });

    const attempt = { email: victim.email, password: PASSWORD };
    expect((await app.send('POST', '/api/session', attempt, { authorization: undefined })).status).toBe(401);
  });

  test('requires a new user to choose a password that is long enough', async () => {
    const app = await testApp();
    const { token } = await invited(app);

    const none = await app.send('POST', ACCEPT, { token, email: EMAIL }, { authorization: undefined });
    const short = await accept(app, { token, password: 'too short' });

    for (const answer of [none, short]) {
      expect(answer).toMatchObject({ status: 422, body: { details: [{ path: 'password' }] } });
    }
  });

  test('counts attempts like those to sign in', async () => {
    const app = await testApp();
    app.rateLimiter.state = { allowed: false, limit: 10, remaining: 0, resetMs: 100 };

    expect(await accept(app, { token: 'x' })).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
  });
});

describe('listInvitations and revokeInvitation', () => {
  test('return pending invitations, and revoke each once', async () => {
    const app = await testApp();
    const { id, token } = await invited(app);

    const before = await app.send('GET', PATH);
    const revoked = await app.send('DELETE', `${PATH}/${id}`);
    const again = await app.send('DELETE', `${PATH}/${id}`);

    expect(before.body).toMatchObject({ invitations: [{ id, email: EMAIL }], meta: { count: 1, hasMore: false } });
    expect([revoked.status, again.status]).toEqual([204, 404]);
    expect((await app.send('GET', PATH)).body).toMatchObject({ invitations: [] });
    expect((await accept(app, { token })).status).toBe(404);
  });
});

describe('getInvitationPage', () => {
  test('is the same for every link, loads nothing from elsewhere, and runs no script but its own', async () => {
    const app = await testApp();
    const { token } = await invited(app);
    const open = { authorization: undefined };

    const page = await app.send('GET', `/invitations/accept/${token}`, undefined, open);
    const other = await app.send('GET', '/invitations/accept/x', undefined, open);

    expect(page.status).toBe(200);
    expect(page.text).toBe(other.text);
    expect(page.text).not.toMatch(/(?:src|href)="(?!\/assets\/)/);
    expect(page.headers).toMatchObject({
      'content-type': 'text/html',
      'referrer-policy': 'no-referrer',
      'content-security-policy': expect.stringMatching(/^default-src 'none'; script-src 'self'; /),
    });
    expect(page.headers['content-security-policy']).not.toContain('unsafe');
  });
});
