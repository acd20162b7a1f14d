import { expect } from 'vitest';
import type { Target } from '../../world/target.js';
import { defineChecks } from '../check.js';
import { expectRefusal, expectTimestamp } from '../matchers.js';

const INVITATIONS = '/api/organization/invitations';
/** A URL, or a path if the deployment does not know its public URL. */
const LINK = /^(?:https?:\/\/[^/]+)?\/(?:.+\/)?invitations\/accept\/[^/]+$/;

async function rolesByUser(target: Target): Promise<Map<string, string>> {
  const path = '/api/organization/members';
  const { body } = await target.send('GET', path, undefined, {
    ...target.people.owner,
    query: { limit: target.largestPage },
  });
  const members = (body.members ?? []) as { userId: string; role: string }[];
  return new Map(members.map(({ userId, role }) => [userId, role]));
}

async function listed(target: Target): Promise<{ text: string; ids: string[] }> {
  const { text, body } = await target.send('GET', INVITATIONS, undefined, {
    ...target.people.owner,
    query: { limit: target.largestPage },
  });
  return { text, ids: ((body.invitations ?? []) as { id: string }[]).map(({ id }) => id) };
}

/** Invitations to an organization (5.4). */
export const invitationChecks = defineChecks('5.4', [
  {
    id: 'invitation-link',
    level: 'must',
    requirement: 'An invitee gets a link of the form /invitations/accept/<token>.',
    needs: ['people'],
    async run(target) {
      const { link, token } = await target.people.invite('member');

      expect(link).toMatch(LINK);
      expect(token.length).toBeGreaterThanOrEqual(22);
    },
  },
  {
    id: 'invitation-makes-a-member',
    level: 'must',
    requirement: 'Accepting an invitation makes a member of the organization, with the role of the invitation.',
    needs: ['people'],
    async run(target) {
      const { userId } = await target.people.get('readonly');

      expect((await rolesByUser(target)).get(userId)).toBe('readonly');
    },
  },
  {
    id: 'invitation-is-used-once',
    level: 'must',
    requirement: 'An invitation can be accepted once.',
    needs: ['people'],
    async run(target) {
      const { people } = target;
      const invited = await people.invite('readonly');
      const password = people.password();

      const first = await people.accept(invited, { password });
      const second = await people.accept(invited, { password });

      expect(first.status, first.text).toBe(200);
      expectRefusal(second, 404);
    },
  },
  {
    id: 'invitation-address-must-match',
    level: 'must',
    requirement: 'Only the invited address can accept an invitation, in upper or lower case.',
    needs: ['people'],
    async run(target) {
      const { people } = target;
      const { token, email } = await people.invite('readonly');
      const password = people.password();

      const other = await people.accept({ token, email: people.address() }, { password });
      const same = await people.accept({ token, email: email.toUpperCase() }, { password });

      expectRefusal(other, 404);
      expect(same.status, same.text).toBe(200);
    },
  },
  {
    id: 'invitation-expires',
    level: 'must',
    requirement: 'An invitation says until when it can be accepted.',
    needs: ['people'],
    async run(target) {
      const { id } = await target.people.invite('member');
      const { body } = await target.send('GET', INVITATIONS, undefined, {
        ...target.people.owner,
        query: { limit: target.largestPage },
      });

      const invitation = ((body.invitations ?? []) as Record<string, unknown>[]).find((listing) => listing.id === id);

      expectTimestamp(invitation?.expiresAt);
      expect(Date.parse(String(invitation?.expiresAt))).toBeGreaterThan(Date.parse(String(invitation?.createdAt)));
    },
  },
  {
    id: 'invitation-by-owners-alone',
    level: 'must',
    requirement: 'Only owners invite.',
    needs: ['people'],
    async run(target) {
      for (const role of ['member', 'readonly'] as const) {
        const { as } = await target.people.get(role);
        const body = { email: target.people.address(), role: 'readonly' };

        expectRefusal(await target.send('POST', INVITATIONS, body, as), 403);
        expectRefusal(await target.send('GET', INVITATIONS, undefined, as), 403);
      }
    },
  },
  {
    id: 'invitation-is-mailed',
    level: 'must',
    requirement: 'The invitee gets the link by e-mail, and the inviting user does not.',
    needs: ['people', 'mail'],
    async run(target) {
      const { link, email, id } = await target.people.invite('readonly');

      expect(link).toMatch(LINK);
      expect(await target.people.mailTo(email)).toContain(link);
      const invitations = await listed(target);
      expect(invitations.ids).toContain(id);
      expect(invitations.text).not.toContain(link);
    },
  },
  {
    id: 'invitation-is-listed',
    level: 'should',
    requirement: 'An invitation is listed without its link until it is accepted.',
    needs: ['people'],
    async run(target) {
      const invited = await target.people.invite('readonly');
      const before = await listed(target);
      await target.people.accept(invited, { password: target.people.password() });
      const after = await listed(target);

      expect(before.ids).toContain(invited.id);
      expect(before.text).not.toContain(invited.token);
      expect(after.ids).not.toContain(invited.id);
    },
  },
  {
    id: 'invitation-revoked-is-void',
    level: 'should',
    requirement: 'An invitation that was revoked, or replaced by a later one, cannot be accepted.',
    needs: ['people'],
    async run(target) {
      const { people } = target;
      const replaced = await people.invite('member');
      const revoked = await people.invite('member', replaced.email);

      const answer = await target.send('DELETE', `${INVITATIONS}/${revoked.id}`, undefined, people.owner);

      expect(answer.status).toBe(204);
      for (const invited of [replaced, revoked]) {
        expectRefusal(await people.accept(invited, { password: people.password() }), 404);
      }
    },
  },
  {
    id: 'invitation-refusals-are-alike',
    level: 'should',
    requirement: 'An unknown link and an address that does not match get the same answer.',
    needs: ['people'],
    async run(target) {
      const { people } = target;
      const { token, email } = await people.invite('member');
      const password = people.password();
      const unknown = `${token.slice(0, -4)}AAAA`;

      const answers = [
        await people.accept({ token, email: people.address() }, { password }),
        await people.accept({ token: unknown, email }, { password }),
        await people.accept({ token: 'nonsense', email }, { password }),
      ];

      const [first, ...others] = answers.map(({ status, body: { requestId, ...body } }) => ({ status, body }));
      expect(first?.status).toBe(404);
      for (const other of others) expect(other).toEqual(first);
    },
  },
  {
    id: 'invitation-of-a-member-409',
    level: 'should',
    requirement: 'A member cannot be invited again.',
    needs: ['people'],
    async run(target) {
      const { email } = await target.people.get('readonly');

      const answer = await target.send('POST', INVITATIONS, { email, role: 'member' }, target.people.owner);

      expectRefusal(answer, 409, 'already_member');
    },
  },
  {
    id: 'invitation-page',
    level: 'should',
    requirement: 'The link leads to a page that is the same for existing and unknown invitations.',
    needs: ['people'],
    async run(target) {
      const { token } = await target.people.invite('member');

      const right = await target.send('GET', `/invitations/accept/${token}`, undefined, { token: null });
      const wrong = await target.send('GET', '/invitations/accept/nonsense', undefined, { token: null });

      expect([right.status, wrong.status]).toEqual([200, 200]);
      expect(wrong.text).toBe(right.text);
    },
  },
]);
