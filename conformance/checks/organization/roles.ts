import { expect } from 'vitest';
import type { Answer } from '../../transport/answer.js';
import { PrerequisiteError } from '../../transport/prerequisite.js';
import type { Sending } from '../../transport/request.js';
import type { Target } from '../../world/target.js';
import { type Check, defineChecks } from '../check.js';
import { expectRefusal } from '../matchers.js';

const UNKNOWN = '00000000-0000-7000-8000-000000000000';
const TOKENS = '/api/organization/tokens';
const MEMBERS = '/api/organization/members';
const SETTINGS = '/api/organization/settings';
const OTHERS = ['member', 'readonly'] as const;

interface Made {
  id: string;
  token: string;
}

async function makeToken(target: Target, sending: Sending, abilities: readonly string[]): Promise<Made> {
  const answer = await target.send('POST', TOKENS, { name: `conformance ${target.runId}`, abilities }, sending);
  expect(answer.status, answer.text).toBe(201);
  return answer.body as unknown as Made;
}

async function tokensSeenBy(target: Target, sending: Sending): Promise<string[]> {
  const { body } = await target.send('GET', TOKENS, undefined, { ...sending, query: { limit: target.largestPage } });
  return ((body.tokens ?? []) as { id: string }[]).map(({ id }) => id);
}

/** Returns a check that these requests are rejected for every role except owner. */
function forOwners(
  id: string,
  requirement: string,
  requests: Record<string, (target: Target, sending: Sending) => Promise<Answer>>,
): Omit<Check, 'section'> {
  return {
    id,
    level: 'must',
    requirement,
    needs: ['people'],
    async run(target) {
      for (const role of OTHERS) {
        const { as } = await target.people.get(role);
        for (const [name, send] of Object.entries(requests)) {
          expect((await send(target, as)).status, `${name} by ${role}`).toBe(403);
        }
      }
    },
  };
}

function get(path: string) {
  return (target: Target, sending: Sending) => target.send('GET', path, undefined, sending);
}

const settingsChecks = defineChecks('2.2', [
  {
    id: 'subject-key-type-set-by-owners',
    level: 'must',
    requirement: 'Only owners set the type of subject keys.',
    needs: ['people'],
    async run(target) {
      const { owner } = target.people;
      const before = await target.send('GET', SETTINGS, undefined, owner);
      const body = { subjectKeyType: before.body.subjectKeyType ?? 'string' };

      for (const role of OTHERS) {
        const { as } = await target.people.get(role);
        expectRefusal(await target.send('PATCH', SETTINGS, body, as), 403);
      }
      const set = await target.send('PATCH', SETTINGS, body, owner);
      expect(set.status, set.text).toBe(200);
      expect((await target.send('GET', SETTINGS, undefined, owner)).body).toMatchObject(body);
    },
  },
]);

const ownersChecks = [
  ...defineChecks('2.4', [
    forOwners('audit-for-owners', 'Owners alone review audit events.', {
      'reading audit events': get('/api/organization/audit-events'),
      'exporting audit events': get('/api/organization/audit-events/export'),
    }),
    forOwners('webhooks-for-owners', 'Owners alone create registrations of webhooks, and see them.', {
      'creating an inbound webhook': (target, sending) =>
        target.send('POST', '/api/organization/inbound-webhooks', { kind: 'codehost', name: 'x' }, sending),
      'creating an outbound webhook': (target, sending) =>
        target.send(
          'POST',
          '/api/organization/outbound-webhooks',
          { url: 'https://hooks.example.com/x', events: ['memory.ingested'] },
          sending,
        ),
      'listing inbound webhooks': get('/api/organization/inbound-webhooks'),
      'listing outbound webhooks': get('/api/organization/outbound-webhooks'),
    }),
  ]),
  ...defineChecks('5.4', [
    forOwners('billing-for-owners', 'Owners alone see what the organization pays and uses.', {
      'reading the subscription': get('/api/organization/subscription'),
      'reading the usage': get('/api/organization/usage'),
      'reading the usage by day': get('/api/organization/usage/days'),
    }),
  ]),
];

const memberChecks = defineChecks('5.4', [
  {
    id: 'owner-has-full-access',
    level: 'must',
    requirement: 'An invited owner has all rights of an owner.',
    needs: ['people'],
    async run(target) {
      const person = await target.people.join('owner');
      const { as } = person;

      const answers = [await target.read('recent', { limit: 1 }, as)];
      for (const path of ['tokens', 'members', 'usage', 'audit-events', 'subscription']) {
        answers.push(await target.send('GET', `/api/organization/${path}`, undefined, as));
      }
      // Other checks need to be alone with the first owner.
      await target.people.leave(person);

      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    },
  },
  {
    id: 'member-works-with-memories',
    level: 'must',
    requirement: 'A member writes, reads, changes and deletes memories.',
    needs: ['people'],
    async run(target) {
      const { as } = await target.people.get('member');
      const { id } = await target.stored({}, as);

      expect((await target.get(id, {}, as)).status).toBe(200);
      expect((await target.patch(id, { metadata: { seen: 1 } }, as)).status).toBe(200);
      expect((await target.delete(id, as)).status).toBe(204);
    },
  },
  {
    id: 'readonly-views-and-searches',
    level: 'must',
    requirement: 'A readonly member views and searches, and changes nothing.',
    needs: ['people'],
    async run(target) {
      const { as } = await target.people.get('readonly');

      expect((await target.read('recent', { limit: 1 }, as)).status).toBe(200);
      expect((await target.search({ query: 'memory', limit: 1 }, as)).status).toBe(200);
      expectRefusal(await target.get(UNKNOWN, {}, as), 404);
      for (const answer of [
        await target.ingest({}, as),
        await target.upsert({}, as),
        await target.send('POST', '/api/memories/batch', { items: [target.fields()] }, as),
        await target.patch(UNKNOWN, { metadata: {} }, as),
        await target.delete(UNKNOWN, as),
      ]) {
        expectRefusal(answer, 403, 'ability_denied');
      }
    },
  },
  {
    id: 'member-chooses-abilities',
    level: 'must',
    requirement: 'A member creates tokens and chooses their abilities.',
    needs: ['people'],
    async run(target) {
      const { as } = await target.people.get('member');
      const all = await makeToken(target, as, ['memory:ingest', 'memory:search', 'memory:admin']);
      const { token } = await makeToken(target, as, ['memory:search']);

      const memory = await target.stored({}, { token: all.token });

      expect((await target.get(memory.id, {}, { token })).status).toBe(200);
      expectRefusal(await target.delete(memory.id, { token }), 403, 'ability_denied');
      expect((await target.delete(memory.id, { token: all.token })).status).toBe(204);
    },
  },
  {
    id: 'readonly-makes-search-tokens',
    level: 'must',
    requirement: 'A readonly member creates tokens only for search.',
    needs: ['people'],
    async run(target) {
      const { as } = await target.people.get('readonly');
      const { token } = await makeToken(target, as, ['memory:search']);

      expect((await target.read('recent', { limit: 1 }, { token })).status).toBe(200);
      for (const abilities of [['memory:ingest'], ['memory:admin'], ['memory:search', 'memory:ingest']]) {
        const refused = await target.send('POST', TOKENS, { name: 'x', abilities }, as);
        expect(refused.status, abilities.join(' and ')).toBe(403);
      }
    },
  },
  {
    id: 'members-see-their-own-tokens',
    level: 'must',
    requirement: 'Owners see the tokens of everybody, others only their own.',
    needs: ['people'],
    async run(target) {
      const { owner } = target.people;
      const member = await target.people.get('member');
      const readonly = await target.people.get('readonly');
      const ofMember = await makeToken(target, member.as, ['memory:search']);
      const ofReadonly = await makeToken(target, readonly.as, ['memory:search']);

      const seenByMember = await tokensSeenBy(target, member.as);
      expect(seenByMember).toContain(ofMember.id);
      expect(seenByMember).not.toContain(ofReadonly.id);
      expect(await tokensSeenBy(target, owner)).toEqual(expect.arrayContaining([ofMember.id, ofReadonly.id]));
    },
  },
  {
    id: 'members-revoke-their-own-tokens',
    level: 'must',
    requirement: 'Owners revoke the token of anybody, others only their own.',
    needs: ['people'],
    async run(target) {
      const member = await target.people.get('member');
      const readonly = await target.people.get('readonly');
      const own = await makeToken(target, member.as, ['memory:search']);
      const other = await makeToken(target, readonly.as, ['memory:search']);

      expectRefusal(await target.send('DELETE', `${TOKENS}/${other.id}`, undefined, member.as), 404);
      expect((await target.read('recent', { limit: 1 }, { token: other.token })).status).toBe(200);
      expect((await target.send('DELETE', `${TOKENS}/${own.id}`, undefined, member.as)).status).toBe(204);
      expect((await target.send('DELETE', `${TOKENS}/${other.id}`, undefined, target.people.owner)).status).toBe(204);
      for (const { token } of [own, other]) expectRefusal(await target.read('recent', {}, { token }), 401);
    },
  },
  {
    id: 'members-are-managed-by-owners',
    level: 'should',
    requirement: 'Only owners list members, change their roles and remove others; anybody may leave.',
    needs: ['people'],
    async run(target) {
      const { people } = target;
      const { userId } = await people.get('readonly');
      const member = await people.join('member');

      expectRefusal(await target.send('GET', MEMBERS, undefined, member.as), 403);
      expectRefusal(await target.send('PATCH', `${MEMBERS}/${userId}`, { role: 'member' }, member.as), 403);
      expectRefusal(await target.send('DELETE', `${MEMBERS}/${userId}`, undefined, member.as), 403);
      expect((await target.send('DELETE', `${MEMBERS}/${member.userId}`, undefined, member.as)).status).toBe(204);
      people.forget(member);
    },
  },
  {
    id: 'last-owner-stays',
    level: 'should',
    requirement: 'The last owner of an organization can neither change role nor leave.',
    needs: ['people'],
    async run(target) {
      const userId = await onlyOwner(target);
      const path = `${MEMBERS}/${userId}`;

      const changed = await target.send('PATCH', path, { role: 'member' }, target.people.owner);
      expectRefusal(changed, 409, 'last_owner');
      expectRefusal(await target.send('DELETE', path, undefined, target.people.owner), 409, 'last_owner');
    },
  },
]);

/** The owner whose token the profile names. @throws {PrerequisiteError} */
async function onlyOwner(target: Target): Promise<string> {
  const { body } = await target.send('GET', MEMBERS, undefined, {
    ...target.people.owner,
    query: { limit: target.largestPage },
  });
  const members = (body.members ?? []) as { userId: string; role: string }[];
  const [first, ...others] = members.filter(({ role }) => role === 'owner');
  if (first && others.length === 0) return first.userId;
  throw new PrerequisiteError('the organization of tokens.people must have one owner');
}

const liveChecks = defineChecks('5.3', [
  {
    id: 'membership-is-live',
    level: 'must',
    requirement: 'A former member is rejected, also with a token that is bound to the organization.',
    needs: ['people'],
    async run(target) {
      const { people } = target;
      const person = await people.join('member');
      const { token } = await makeToken(target, person.as, ['memory:search']);
      expect((await target.read('recent', { limit: 1 }, { token })).status).toBe(200);

      const path = `${MEMBERS}/${person.userId}`;
      expect((await target.send('DELETE', path, undefined, people.owner)).status).toBe(204);
      people.forget(person);

      expect([401, 403]).toContain((await target.read('recent', { limit: 1 }, { token })).status);
      expectRefusal(await target.read('recent', { limit: 1 }, person.as), 403, 'organization_forbidden');
    },
  },
  {
    id: 'role-is-live',
    level: 'should',
    requirement: 'From the next request on, a token may do only what the present role of its user allows.',
    needs: ['people'],
    async run(target) {
      const { people } = target;
      const person = await people.join('member');
      const { token } = await makeToken(target, person.as, ['memory:search', 'memory:admin']);
      const change = (role: string) => target.send('PATCH', `${MEMBERS}/${person.userId}`, { role }, people.owner);
      expectRefusal(await target.delete(UNKNOWN, { token }), 404);

      expect((await change('readonly')).body).toMatchObject({ role: 'readonly' });
      expectRefusal(await target.delete(UNKNOWN, { token }), 403, 'ability_denied');
      expect((await target.read('recent', { limit: 1 }, { token })).status).toBe(200);
      await change('member');
      expectRefusal(await target.delete(UNKNOWN, { token }), 404);
    },
  },
]);

/** The operations that each role may do (5.4), and that a change of role applies immediately (5.3). */
export const roleChecks: readonly Check[] = [...settingsChecks, ...ownersChecks, ...liveChecks, ...memberChecks];
