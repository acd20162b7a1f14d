import { expect } from 'vitest';
import { defineChecks } from '../check.js';
import { expectRefusal } from '../matchers.js';

const ORGANIZATION = '/api/organization';
const OTHERS = ['member', 'readonly'] as const;

/** The name of an organization, and making another one (5.4). */
export const organizationNameChecks = defineChecks('5.4', [
  {
    id: 'organization-is-renamed',
    level: 'should',
    requirement: 'Only owners rename the organization.',
    needs: ['people'],
    async run(target) {
      const { owner } = target.people;
      const { body: before } = await target.send('GET', ORGANIZATION, undefined, owner);
      for (const role of OTHERS) {
        const { as } = await target.people.get(role);
        expectRefusal(await target.send('PATCH', ORGANIZATION, { name: 'conformance' }, as), 403);
      }

      const renamed = await target.send('PATCH', ORGANIZATION, { name: `conformance ${target.runId}` }, owner);
      const restored = await target.send('PATCH', ORGANIZATION, { name: before.name }, owner);

      expect(renamed.body).toEqual({ ...before, name: `conformance ${target.runId}` });
      expect(restored.body).toEqual(before);
    },
  },
  {
    id: 'organizations-are-made-in-sessions',
    level: 'should',
    requirement: 'A token cannot create an organization: that needs a session.',
    needs: ['management'],
    async run(target) {
      expectRefusal(await target.send('POST', '/api/organizations', { name: 'conformance' }), 401, 'unauthenticated');
    },
  },
]);
