import { expect } from 'vitest';
import type { Answer } from '../../transport/answer.js';
import { toSending } from '../../world/people.js';
import type { Target } from '../../world/target.js';
import { type Check, defineChecks } from '../check.js';
import { expectRefusal } from '../matchers.js';

/** More attempts than an account may make in a minute. */
const MANY_ATTEMPTS = 25;
const ROUNDS = 3;

function remaining(answer: Answer): number {
  return Number(answer.headers.get('x-ratelimit-remaining') ?? Number.NaN);
}

/** Returns the requests left after one request of a user, three of another user, and one of the first. */
function isCountedApart([before = 0, one = 0, two = 0, three = 0, after = 0]: readonly number[]): boolean {
  return one > two && two > three && after === before - 1;
}

async function isSignedIn(target: Target, sending: ReturnType<typeof toSending>): Promise<boolean> {
  return (await target.send('GET', '/api/session', undefined, sending)).status === 200;
}

/** Sessions of the dashboard: sign-in, use and end. */
export const sessionChecks: readonly Check[] = [
  ...defineChecks('5.1', [
    {
      id: 'session-cookie',
      level: 'should',
      requirement: 'Signing in sets a cookie that no script reads and no other site sends along.',
      needs: ['people'],
      async run(target) {
        const { email, password, userId } = await target.people.get('readonly');

        const answer = await target.people.signIn(email, password);

        expect(answer.body).toMatchObject({ user: { id: userId, email }, csrfToken: expect.any(String) });
        const cookie = answer.headers.get('set-cookie') ?? '';
        expect(cookie).toMatch(/; *HttpOnly/i);
        expect(cookie).toMatch(/; *SameSite=(Lax|Strict)/i);
        expect(await isSignedIn(target, toSending(answer))).toBe(true);
      },
    },
    {
      id: 'session-wrong-password-401',
      level: 'should',
      requirement: 'A wrong password and an unknown address get the same answer.',
      needs: ['people'],
      async run(target) {
        const { email } = await target.people.get('readonly');

        const answers = [
          await target.people.signIn(email, target.people.password()),
          await target.people.signIn(target.people.address(), target.people.password()),
        ];

        const [one, other] = answers.map(({ status, body: { requestId, ...body } }) => ({ status, body }));
        expect(one?.status).toBe(401);
        expect(other).toEqual(one);
      },
    },
    {
      id: 'session-needs-csrf-token',
      level: 'should',
      requirement: 'A session needs its X-CSRF-Token to change something, and not to read.',
      needs: ['people'],
      async run(target) {
        const { as } = await target.people.get('member');
        const { 'x-csrf-token': _, ...headers } = as.headers ?? {};
        const without = { ...as, headers };
        const wrong = { ...as, headers: { ...headers, 'x-csrf-token': target.word() } };

        for (const sending of [without, wrong]) {
          expectRefusal(await target.ingest({}, sending), 403, 'csrf_token_invalid');
        }
        expectRefusal(await target.send('DELETE', '/api/session', undefined, without), 403, 'csrf_token_invalid');
        expect((await target.read('recent', { limit: 1 }, without)).status).toBe(200);
      },
    },
    {
      id: 'session-ends',
      level: 'should',
      requirement: 'A session that was signed out is rejected, wherever its cookie is used.',
      needs: ['people'],
      async run(target) {
        const { email, password } = await target.people.get('member');
        const session = toSending(await target.people.signIn(email, password));
        expect(await isSignedIn(target, session)).toBe(true);

        const out = await target.send('DELETE', '/api/session', undefined, session);

        expect(out.status).toBe(204);
        expectRefusal(await target.send('GET', '/api/session', undefined, session), 401);
        expectRefusal(await target.send('DELETE', '/api/session', undefined, session), 401);
      },
    },
    {
      id: 'session-ends-with-the-password',
      level: 'should',
      requirement: 'A new password replaces the old one, and ends all sessions except the one that set it.',
      needs: ['people'],
      async run(target) {
        const { people } = target;
        const { email, password, as } = await people.join('readonly');
        const other = toSending(await people.signIn(email, password));
        const newPassword = people.password();
        const path = '/api/session/password';

        const guessed = await target.send('PUT', path, { currentPassword: people.password(), newPassword }, as);
        const changed = await target.send('PUT', path, { currentPassword: password, newPassword }, as);

        expectRefusal(guessed, 422);
        expect(changed.status, changed.text).toBe(204);
        expect([await isSignedIn(target, as), await isSignedIn(target, other)]).toEqual([true, false]);
        expectRefusal(await people.signIn(email, password), 401);
        expect((await people.signIn(email, newPassword)).status).toBe(201);
      },
    },
    {
      id: 'session-attempts-are-limited',
      level: 'should',
      requirement: 'Attempts to sign in to an account are limited, with 429 and Retry-After.',
      needs: ['people'],
      async run(target) {
        const email = target.people.address();
        let answer = await target.people.signIn(email, 'a guess');
        for (let count = 1; count < MANY_ATTEMPTS && answer.status === 401; count++) {
          answer = await target.people.signIn(email, 'a guess');
        }

        expectRefusal(answer, 429, 'rate_limited');
        expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      },
    },
  ]),
  ...defineChecks('5.3', [
    {
      id: 'session-organization',
      level: 'must',
      requirement: 'A user of one organization acts in it, and is rejected in any other.',
      needs: ['people'],
      async run(target) {
        const { as } = await target.people.get('member');
        const named = (id: string) => ({ ...as, headers: { ...as.headers, 'x-organization-id': id } });
        const own = await target.organizationId(target.people.owner.token);

        const alone = await target.send('GET', '/api/session', undefined, as);
        const refused = await target.read('recent', { limit: 1 }, named('00000000-0000-7000-8000-000000000000'));

        expect(alone.body).toMatchObject({ organization: { id: own } });
        expect((await target.read('recent', { limit: 1 }, named(own))).status).toBe(200);
        expectRefusal(refused, 403, 'organization_forbidden');
      },
    },
  ]),
  ...defineChecks('8', [
    {
      id: 'rate-limit-of-sessions',
      level: 'must',
      requirement:
        'The limits count the requests of a user who has signed in, in all their sessions, apart from those of others.',
      needs: ['people', 'response-headers'],
      async run(target) {
        const { email, password, as } = await target.people.get('member');
        const again = toSending(await target.people.signIn(email, password));
        const other = await target.people.get('readonly');
        const recent = async (sending: typeof as) => remaining(await target.read('recent', { limit: 1 }, sending));

        // The minute may end between two requests, which resets the count.
        let seen: number[] = [];
        for (let round = 0; round < ROUNDS && !isCountedApart(seen); round++) {
          seen = [
            await recent(other.as),
            await recent(as),
            await recent(as),
            await recent(again),
            await recent(other.as),
          ];
        }

        expect(isCountedApart(seen), `remaining was ${seen.join(' ')}`).toBe(true);
      },
    },
  ]),
];
