import { expect } from 'vitest';
import { needed } from '../../transport/prerequisite.js';
import type { Target } from '../../world/target.js';
import { defineChecks } from '../check.js';
import { expectRefusal } from '../matchers.js';

const UNKNOWN = '00000000-0000-7000-8000-000000000000';
const NOBODY = { token: null };

function organizationOf({ profile }: Target): string {
  return needed(profile.localOrganizationId, 'localOrganizationId of the profile');
}

/** Tools without a credential, if a deployment runs locally and names a default organization (5.1). */
export const localToolChecks = defineChecks('5.1', [
  {
    id: 'local-tools-need-no-token',
    level: 'must',
    requirement:
      'In local mode with a default organization, tools are there without a credential, in that organization.',
    needs: ['local-tools'],
    async run(target) {
      const organizationId = organizationOf(target);
      const { isError, data } = await target.tools.call(NOBODY, 'memory_recent', { limit: 1 });
      const owned = await target.tools.request(NOBODY, 'tools/call', {
        name: 'memory_recent',
        arguments: { limit: 1 },
      });

      expect(isError).toBe(false);
      expect(data.scope).toMatchObject({ organizationId });
      expect(owned.status).toBe(200);
    },
  },
  {
    id: 'local-resources-of-that-organization',
    level: 'must',
    requirement: 'Without a credential, resource URIs may use the default organization, and no other.',
    needs: ['local-tools'],
    async run(target) {
      const read = (organizationId: string) =>
        target.tools.request(NOBODY, 'resources/read', { uri: `store://${organizationId}/stats` });

      const own = await read(organizationOf(target));
      const other = await read(UNKNOWN);

      expect(own.error).toBeUndefined();
      expect(other.error ?? other.result).toBeDefined();
      expect(other.result).toBeUndefined();
    },
  },
  {
    id: 'local-rest-needs-a-token',
    level: 'must',
    requirement: 'The local exception is only for the tools: REST calls still need a credential.',
    needs: ['local-tools'],
    async run(target) {
      const headers = { 'x-organization-id': organizationOf(target) };

      expectRefusal(await target.read('recent', { limit: 1 }, NOBODY), 401);
      expectRefusal(await target.read('recent', { limit: 1 }, { ...NOBODY, headers }), 401);
    },
  },
]);
