import { expect } from 'vitest';
import type { Answer } from '../../transport/answer.js';
import { PrerequisiteError } from '../../transport/prerequisite.js';
import type { Sending } from '../../transport/request.js';
import { toSending } from '../../world/people.js';
import type { Target } from '../../world/target.js';
import { type Check, defineChecks } from '../check.js';
import { expectRefusal } from '../matchers.js';

const LINKS = '/api/session/links';
const SESSIONS = '/api/sessions';
const RESETS = '/api/session/password/reset-requests';

/** Somebody who is not signed in. */
const NOBODY: Sending = { token: null };

/** A code of the right form that belongs to no link. */
const UNKNOWN_CODE = 'A'.repeat(43);

/** Returns the code of a new link. @throws {PrerequisiteError} */
async function codeOf(target: Target, as: Sending): Promise<string> {
  const { status, body } = await target.send('POST', LINKS, undefined, as);
  const code = /#([\w-]+)$/.exec(String(body.link))?.[1];
  if (status !== 201 || code === undefined) throw new PrerequisiteError(`a sign-in link was answered with ${status}`);
  return code;
}

function redeem(target: Target, code: string): Promise<Answer> {
  return target.send('POST', `${LINKS}/redeem`, { code }, NOBODY);
}

function preview(target: Target, code: string): Promise<Answer> {
  return target.send('POST', `${LINKS}/preview`, { code }, NOBODY);
}

async function isSignedIn(target: Target, as: Sending): Promise<boolean> {
  return (await target.send('GET', '/api/session', undefined, as)).status === 200;
}

/** Links that sign a person in, and the sessions that they begin. */
export const signInLinkChecks: readonly Check[] = [
  ...defineChecks('5.1', [
    {
      id: 'sign-in-link-code',
      level: 'should',
      requirement: 'A sign-in link has its code in the fragment, which no server and no log receives, and expires.',
      needs: ['people'],
      async run(target) {
        const { as } = await target.people.get('readonly');

        const { status, body } = await target.send('POST', LINKS, undefined, as);

        expect(status).toBe(201);
        expect(body.link).toMatch(/\/welcome#[\w-]{43,}$/);
        expect(Date.parse(String(body.expiresAt))).toBeGreaterThan(Date.now());
      },
    },
    {
      id: 'sign-in-link-preview',
      level: 'should',
      requirement: 'A link names its account and organizations before it is used, and stays valid.',
      needs: ['people'],
      async run(target) {
        const { as, email, userId } = await target.people.get('readonly');
        const code = await codeOf(target, as);

        const answer = await preview(target, code);

        const organization = { id: await target.organizationId(target.people.owner.token), role: 'readonly' };
        expect(answer.status).toBe(200);
        expect(answer.body).toMatchObject({ email, organizations: [organization] });
        expect((await redeem(target, code)).body).toMatchObject({ user: { id: userId } });
      },
    },
    {
      id: 'sign-in-link-begins-a-session',
      level: 'should',
      requirement: 'A link starts the same session as a password.',
      needs: ['people'],
      async run(target) {
        const { as, userId } = await target.people.get('member');

        const answer = await redeem(target, await codeOf(target, as));

        expect(answer.status).toBe(201);
        expect(answer.body).toMatchObject({ user: { id: userId }, credential: { type: 'session' } });
        expect(await isSignedIn(target, toSending(answer))).toBe(true);
      },
    },
    {
      id: 'sign-in-link-is-used-once',
      level: 'should',
      requirement: 'A link starts one session, however many requests use it at once.',
      needs: ['people'],
      async run(target) {
        const { as } = await target.people.get('member');
        const code = await codeOf(target, as);

        const answers = await Promise.all(Array.from({ length: 4 }, () => redeem(target, code)));

        expect(answers.map(({ status }) => status).sort()).toEqual([201, 404, 404, 404]);
      },
    },
    {
      id: 'sign-in-link-refusals-are-alike',
      level: 'should',
      requirement: 'A code that is wrong or used gets the same answer.',
      needs: ['people'],
      async run(target) {
        const { as } = await target.people.get('member');
        const used = await codeOf(target, as);
        await redeem(target, used);

        const answers = [
          await redeem(target, used),
          await preview(target, used),
          await redeem(target, UNKNOWN_CODE),
          await preview(target, 'nonsense'),
        ];

        for (const answer of answers) expectRefusal(answer, 404, 'sign_in_link_invalid');
        expect(new Set(answers.map(({ body }) => body.error)).size).toBe(1);
      },
    },
    {
      id: 'sign-in-link-ends-with-the-password',
      level: 'should',
      requirement: 'A new password voids the links of its person.',
      needs: ['people'],
      async run(target) {
        const { as, password } = await target.people.join('readonly');
        const code = await codeOf(target, as);

        const change = { currentPassword: password, newPassword: target.people.password() };
        const { status } = await target.send('PUT', '/api/session/password', change, as);

        expect(status).toBe(204);
        expectRefusal(await redeem(target, code), 404, 'sign_in_link_invalid');
      },
    },
    {
      id: 'sign-in-link-sets-no-password',
      level: 'should',
      requirement: 'A link that a credential created sets no password, because the credential may be stolen.',
      needs: ['people'],
      async run(target) {
        const { people } = target;
        const { as, email, password } = await people.join('readonly');
        const reset = { code: await codeOf(target, as), newPassword: people.password() };

        const answer = await target.send('POST', '/api/session/password/reset', reset, NOBODY);

        expectRefusal(answer, 404, 'sign_in_link_invalid');
        expect((await people.signIn(email, password)).status).toBe(201);
      },
    },
    {
      id: 'password-reset-reveals-no-account',
      level: 'should',
      requirement: 'A request for a new password has the same answer for every address.',
      needs: ['people'],
      async run(target) {
        const { email } = await target.people.get('readonly');

        const answers = [
          await target.send('POST', RESETS, { email }, NOBODY),
          await target.send('POST', RESETS, { email: target.people.address() }, NOBODY),
        ];

        expect(answers.map(({ status }) => status)).toEqual([202, 202]);
        expect(answers[1]?.body).toEqual(answers[0]?.body);
      },
    },
    {
      id: 'sessions-are-listed',
      level: 'should',
      requirement: 'A person sees their own sessions, and which of them they use.',
      needs: ['people'],
      async run(target) {
        const { as, email, password } = await target.people.join('member');
        await target.people.signIn(email, password);
        const self = await target.send('GET', '/api/session', undefined, as);

        const { status, body } = await target.send('GET', SESSIONS, undefined, as);

        const sessions = body.sessions as { id: string; current: boolean }[];
        expect(status).toBe(200);
        expect(sessions).toHaveLength(2);
        expect(sessions.filter(({ current }) => current)).toMatchObject(
          [self.body.credential as { id: string }].map(({ id }) => ({ id })),
        );
      },
    },
    {
      id: 'sessions-are-revoked',
      level: 'should',
      requirement: 'A person ends one of their sessions, and none of anybody else.',
      needs: ['people'],
      async run(target) {
        const { people } = target;
        const { as, email, password } = await people.join('member');
        const other = await people.signIn(email, password);
        const foreign = await people.get('readonly');
        const idOf = async (sending: Sending) => {
          const { body } = await target.send('GET', '/api/session', undefined, sending);
          return (body.credential as { id: string }).id;
        };
        const [own, theirs] = [await idOf(toSending(other)), await idOf(foreign.as)];

        const refused = await target.send('DELETE', `${SESSIONS}/${theirs}`, undefined, as);
        const ended = await target.send('DELETE', `${SESSIONS}/${own}`, undefined, as);

        expectRefusal(refused, 404);
        expect(ended.status).toBe(204);
        expect([
          await isSignedIn(target, as),
          await isSignedIn(target, toSending(other)),
          await isSignedIn(target, foreign.as),
        ]).toEqual([true, false, true]);
      },
    },
    {
      id: 'session-cookie-is-not-ambiguous',
      level: 'should',
      requirement: 'A request with two session cookies is rejected, because another site may have planted one.',
      needs: ['people'],
      async run(target) {
        const { as } = await target.people.get('member');
        const { cookie = '', ...headers } = as.headers ?? {};
        const [name] = cookie.split('=');
        const two = [`${cookie}; ${name}=${UNKNOWN_CODE}`, `${name}=${UNKNOWN_CODE}; ${cookie}`];

        const answers = [];
        for (const sent of two) {
          answers.push(
            await target.send('GET', '/api/session', undefined, { ...as, headers: { ...headers, cookie: sent } }),
          );
        }

        for (const answer of answers) expectRefusal(answer, 401, 'unauthenticated');
        expect(await isSignedIn(target, as)).toBe(true);
      },
    },
  ]),
];
