import { answering, body, type Fault, on, pretends, refusal, sending } from '../fault.js';

const LINKS = '/api/session/links';
const REDEEM = `POST ${LINKS}/redeem`;
const SESSIONS = '/api/sessions';

/** Answers a rejected redemption as a successful one. */
const accepts = on(
  REDEEM,
  answering((returned) => {
    if (returned.status !== 404) return;
    returned.status = 201;
    returned.headers.set('set-cookie', 'memory_session=x');
    returned.json = {
      user: { id: '00000000-0000-7000-8000-000000000001', email: 'a@example.test' },
      credential: { type: 'session', id: '00000000-0000-7000-8000-000000000002', abilities: [] },
      organization: null,
      organizations: [],
      csrfToken: 'x',
    };
  }),
);

/** Uses one of several session cookies. */
const takesOne: Fault = sending(({ headers }) => {
  const own = headers.cookie?.split('; ').find((pair) => !/=A{43}$/.test(pair));
  if (own !== undefined) headers.cookie = own;
});

export const signInLinkFaults: Readonly<Record<string, Fault>> = {
  'sign-in-link-code': on(
    `POST ${LINKS}`,
    body((json) => {
      json.link = String(json.link).replace('#', '?code=');
    }),
  ),
  'sign-in-link-preview': on(
    `POST ${LINKS}/preview`,
    body((json) => {
      json.organizations = [];
    }),
  ),
  'sign-in-link-begins-a-session': on(
    REDEEM,
    answering(({ headers }) => headers.set('set-cookie', `memory_session=${'A'.repeat(43)}`)),
  ),
  'sign-in-link-is-used-once': accepts,
  'sign-in-link-refusals-are-alike': on(
    REDEEM,
    refusal((json, { body: sent }) => {
      if (!/^A+$/.test(String(sent.code))) json.error = 'This link is used';
    }),
  ),
  'sign-in-link-ends-with-the-password': accepts,
  'sign-in-link-sets-no-password': on(
    'POST /api/session/password/reset',
    refusal((json) => {
      json.code = 'validation_failed';
    }),
  ),
  'password-reset-reveals-no-account': on(
    'POST /api/session/password/reset-requests',
    body((json, { body: sent }) => {
      json.account = String(sent.email);
    }),
  ),
  'sessions-are-listed': on(
    `GET ${SESSIONS}`,
    body((json) => {
      json.sessions = [];
    }),
  ),
  'sessions-are-revoked': on(`DELETE ${SESSIONS}/*`, pretends(204)),
  'session-cookie-is-not-ambiguous': on('GET /api/session', takesOne),
};
