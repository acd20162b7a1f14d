import { expect } from 'vitest';
import type { Sending } from '../../transport/request.js';
import type { Target } from '../../world/target.js';
import { defineChecks } from '../check.js';
import { expectRefusal } from '../matchers.js';

const ORGANIZATION = '/api/organization';
const DELETION = '/api/organization/delete';
const OTHERS = ['member', 'readonly'] as const;

/** An organization that somebody made for one check, and how they act in it. */
interface Made {
  id: string;
  name: string;
  /** Their session. */
  as: Sending;
  there: Sending;
}

async function making(target: Target): Promise<Made> {
  const { as } = await target.people.join('member');
  const name = `conformance ${target.word()}`;
  const { status, body } = await target.send('POST', '/api/organizations', { name }, as);
  expect(status).toBe(201);
  const id = String(body.id);
  return { id, name, as, there: { ...as, headers: { ...as.headers, 'x-organization-id': id } } };
}

async function organizationsOf(target: Target, as: Sending): Promise<string[]> {
  const { body } = await target.send('GET', '/api/session', undefined, as);
  return (body.organizations as { id: string }[]).map(({ id }) => id);
}

/** Deleting an organization. The specification leaves it open. */
export const organizationDeletionChecks = defineChecks('5.4', [
  {
    id: 'organization-deletion-by-owners',
    level: 'should',
    requirement: 'An owner with a session deletes the organization; a token gets 401 and other roles get 403.',
    needs: ['people'],
    async run(target) {
      // No organization has this name, so a deployment that accepts anybody deletes nothing.
      const sent = { name: `none ${target.word()}` };

      expectRefusal(await target.send('POST', DELETION, sent, target.people.owner), 401, 'unauthenticated');
      for (const role of OTHERS) {
        const { as } = await target.people.get(role);
        expectRefusal(await target.send('POST', DELETION, sent, as), 403, 'owner_required');
      }
    },
  },
  {
    id: 'organization-deletion-names-it',
    level: 'should',
    requirement: 'A deletion repeats the name of the organization; another name gets 422 and deletes nothing.',
    needs: ['people'],
    async run(target) {
      const { id, name, there } = await making(target);

      const refused = await target.send('POST', DELETION, { name: `${name} 2` }, there);
      const kept = await target.send('GET', ORGANIZATION, undefined, there);
      await target.send('POST', DELETION, { name }, there);

      expectRefusal(refused, 422, 'validation_failed');
      expect(kept.body).toMatchObject({ id, name });
    },
  },
  {
    id: 'organization-deletion-is-at-once',
    level: 'should',
    requirement: 'From the answer on, sessions do not list a deleted organization, and nothing in it can be reached.',
    needs: ['people'],
    async run(target) {
      const { id, name, as, there } = await making(target);
      const before = await organizationsOf(target, as);

      const deleted = await target.send('POST', DELETION, { name }, there);

      expect(before).toContain(id);
      expect(deleted.status).toBe(204);
      expect(await organizationsOf(target, as)).not.toContain(id);
      expectRefusal(await target.send('GET', ORGANIZATION, undefined, there), 403, 'organization_forbidden');
      expectRefusal(await target.read('recent', { limit: 1 }, there), 403, 'organization_forbidden');
    },
  },
]);
