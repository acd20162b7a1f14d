import { answering, body, type Fault, on, pretends, refusal, sending, status } from '../fault.js';

const INVITATIONS = '/api/organization/invitations';
const MEMBERS = '/api/organization/members';
const TOKENS = '/api/organization/tokens';
const SETTINGS = '/api/organization/settings';
const ACCEPT = 'POST /api/invitations/accept';
const SESSION = '/api/session';
const RECENT = 'GET /api/memories/recent';

type Json = Record<string, unknown>;

/** Treats other roles as owners. */
function asOwner(operation: string): Fault {
  let owner: string | undefined;
  return (sent, forward) => {
    owner ??= sent.headers.authorization;
    const changed = { ...sent, headers: { ...sent.headers, ...(owner && { authorization: owner }) } };
    return on(operation, () => forward(changed))(sent, forward);
  };
}

const each = (name: string, change: (item: Json) => Json): Fault =>
  body((json) => {
    if (Array.isArray(json[name])) json[name] = (json[name] as Json[]).map(change);
  });

const taken = { user: { id: '00000000-0000-7000-8000-000000000001', email: 'a@example.test' } };
const organization = { id: '00000000-0000-7000-8000-000000000002', name: 'x', role: 'readonly' };

/** Accepts a repetition that it should reject. */
const accepts = on(
  ACCEPT,
  answering((returned) => {
    if (returned.status !== 404) return;
    returned.status = 200;
    returned.json = { ...taken, organization };
  }),
);

export const invitationFaults: Readonly<Record<string, Fault>> = {
  'invitation-link': on(
    `POST ${INVITATIONS}`,
    body((json) => {
      json.link = `https://memory.example.test/?invitation=${String(json.id)}`;
    }),
  ),
  'invitation-makes-a-member': on(
    `GET ${MEMBERS}`,
    each('members', (member) => ({ ...member, role: 'owner' })),
  ),
  'invitation-is-used-once': accepts,
  'invitation-address-must-match': accepts,
  'invitation-expires': on(
    `GET ${INVITATIONS}`,
    each('invitations', (invitation) => ({ ...invitation, expiresAt: invitation.createdAt })),
  ),
  'invitation-by-owners-alone': on(`GET ${INVITATIONS}`, status(403, 404)),
  'invitation-is-mailed': on(
    `POST ${INVITATIONS}`,
    body((json) => {
      json.sent = false;
      json.link = 'https://memory.example.test/invitations/accept/handed-over';
    }),
  ),
  'invitation-is-listed': on(
    `GET ${INVITATIONS}`,
    body((json) => {
      json.invitations = [];
    }),
  ),
  'invitation-revoked-is-void': accepts,
  'invitation-refusals-are-alike': on(
    ACCEPT,
    refusal((json, sent) => {
      if (sent.body.token === 'nonsense') json.error = 'This is no link';
    }),
  ),
  'invitation-of-a-member-409': on(
    `POST ${INVITATIONS}`,
    refusal((json) => {
      json.code = 'validation_failed';
    }),
  ),
  'invitation-page': on(
    'GET /invitations/accept/nonsense',
    answering((returned) => {
      returned.text = '<p>This link is void</p>';
    }),
  ),
};

export const roleFaults: Readonly<Record<string, Fault>> = {
  'subject-key-type-set-by-owners': asOwner(`PATCH ${SETTINGS}`),
  'organization-is-renamed': asOwner('PATCH /api/organization'),
  'organizations-are-made-in-sessions': on('POST /api/organizations', status(401, 403)),
  'organization-deletion-by-owners': on('POST /api/organization/delete', status(403, 422)),
  'organization-deletion-names-it': on('POST /api/organization/delete', pretends(204)),
  'organization-deletion-is-at-once': on('POST /api/organization/delete', pretends(204)),
  'audit-for-owners': on('GET /api/organization/audit-events', status(403, 401)),
  'webhooks-for-owners': on('POST /api/organization/inbound-webhooks', status(403, 422)),
  'billing-for-owners': on('GET /api/organization/subscription', status(403, 401)),
  'owner-has-full-access': on('GET /api/organization/usage', status(200, 403)),
  'member-works-with-memories': on('DELETE /api/memories/*', status(204, 403)),
  'readonly-views-and-searches': on('DELETE /api/memories/*', pretends(404, { error: 'Not found' })),
  'member-chooses-abilities': on(
    `POST ${TOKENS}`,
    sending(({ body: sent }) => {
      sent.abilities = ['memory:ingest', 'memory:search', 'memory:admin'];
    }),
  ),
  'readonly-makes-search-tokens': on(`POST ${TOKENS}`, status(403, 422)),
  'members-see-their-own-tokens': on(
    `GET ${TOKENS}`,
    each('tokens', (token) => ({ ...token, id: token.userId })),
  ),
  'members-revoke-their-own-tokens': asOwner(`DELETE ${TOKENS}/*`),
  'members-are-managed-by-owners': asOwner(`GET ${MEMBERS}`),
  'last-owner-stays': on(`PATCH ${MEMBERS}/*`, pretends(403, { error: 'no', code: 'owner_required' })),
  'membership-is-live': on(`DELETE ${MEMBERS}/*`, pretends(204)),
  'role-is-live': on(
    `PATCH ${MEMBERS}/*`,
    sending(({ body: sent }) => {
      sent.role = 'member';
    }),
  ),
};

export const sessionFaults: Readonly<Record<string, Fault>> = {
  'session-cookie': on(
    `POST ${SESSION}`,
    answering(({ headers }) => {
      const cookie = headers.get('set-cookie');
      if (cookie) headers.set('set-cookie', cookie.replace(/; *HttpOnly/i, ''));
    }),
  ),
  'session-wrong-password-401': on(
    `POST ${SESSION}`,
    refusal((json, sent) => {
      json.error = `There is no ${String(sent.body.email)}`;
    }),
  ),
  'session-needs-csrf-token': on(
    'POST /api/memories',
    refusal((json) => {
      json.code = 'ability_denied';
    }),
  ),
  'session-ends': on(`DELETE ${SESSION}`, pretends(204)),
  'session-ends-with-the-password': on(`PUT ${SESSION}/password`, pretends(204)),
  'session-attempts-are-limited': on(`POST ${SESSION}`, pretends(401, { error: 'no', code: 'unauthenticated' })),
  'session-organization': on(RECENT, overlooksOrganization()),
  'rate-limit-of-sessions': on(
    RECENT,
    answering(({ headers }) => headers.set('x-ratelimit-remaining', '119')),
  ),
};

function overlooksOrganization(): Fault {
  return sending(({ headers }) => {
    delete headers['x-organization-id'];
  });
}
