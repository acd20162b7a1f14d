import { expect } from 'vitest';
import type { Answer } from '../../transport/answer.js';
import type { Read } from '../../world/memory-requests.js';
import type { Target } from '../../world/target.js';
import { type Check, defineChecks } from '../check.js';
import { expectOutcome, expectRefusal } from '../matchers.js';

const UNKNOWN = '00000000-0000-7000-8000-000000000000';

function inOrganization(target: Target, organizationId: string): Promise<Answer> {
  return target.read('recent', { limit: 1 }, { headers: { 'x-organization-id': organizationId } });
}

function isolates(read: Read | 'search'): Omit<Check, 'section'> {
  return {
    id: `isolation-of-${read}`,
    level: 'must',
    requirement: `${read} looks at the memories of its own organization alone.`,
    needs: ['second-organization'],
    async run(target) {
      const token = target.secondToken;
      const project = target.word();
      await target.stored({ metadata: { project } }, { token });
      const own = await target.stored({ metadata: { project } });
      const filter = { project };

      const answer = await (read === 'search'
        ? target.search({ query: 'memory', filter })
        : target.read(read, { filter }));

      expect(answer.status).toBe(200);
      if (read === 'stats') expect(answer.body.meta).toMatchObject({ filtered: 1 });
      else expect(answer.ids).toEqual([own.id]);
    },
  };
}

/** The organization that a request acts in (5.3), and isolation from others (section 1). */
export const organizationChecks: readonly Check[] = [
  ...defineChecks('1', [
    ...(['recent', 'search', 'export', 'stats', 'changes'] as const).map(isolates),
    {
      id: 'isolation-of-updates',
      level: 'must',
      requirement: 'A memory of another organization can be neither changed nor deleted, and is answered as unknown.',
      needs: ['second-organization'],
      async run(target) {
        const token = target.secondToken;
        const { id, content } = await target.stored({}, { token });

        for (const answer of [await target.patch(id, { metadata: { seen: 1 } }), await target.delete(id)]) {
          expectRefusal(answer, 404);
          expect(answer.body).toEqual({ error: 'Not found' });
        }
        expect((await target.get(id, {}, { token })).body).toMatchObject({ content, metadata: target.tagged() });
      },
    },
    {
      id: 'isolation-of-duplicates',
      level: 'must',
      requirement: 'The same text in two organizations is two memories.',
      needs: ['second-organization'],
      async run(target) {
        const first = await target.stored({}, { token: target.secondToken });

        const second = await target.ingest({ content: first.content });

        expectOutcome(second, 201, 'created');
        expect(second.body.id).not.toBe(first.id);
      },
    },
    {
      id: 'isolation-of-external-keys',
      level: 'must',
      requirement: 'The same external key in two organizations is two memories.',
      needs: ['second-organization'],
      async run(target) {
        const externalKey = target.word();
        expectOutcome(await target.upsert({ externalKey }, { token: target.secondToken }), 201, 'created');

        expectOutcome(await target.upsert({ externalKey }), 201, 'created');
      },
    },
    {
      id: 'isolation-of-cursors',
      level: 'must',
      requirement: 'A cursor of another organization returns nothing of it.',
      needs: ['second-organization'],
      async run(target) {
        const token = target.secondToken;
        const project = target.word();
        for (let count = 0; count < 2; count++) await target.stored({ metadata: { project } }, { token });
        const query = { filter: { project }, limit: 1 };
        const changes = await target.read('changes', query, { token });
        const exported = await target.read('export', query, { token });

        const followed = await target.read('changes', { ...query, cursor: changes.body.nextCursor });
        const continued = await target.read('export', { ...query, cursor: exported.headers.get('x-next-cursor') });

        for (const answer of [followed, continued]) {
          expect([200, 422]).toContain(answer.status);
          expect(answer.memories).toEqual([]);
        }
      },
    },
  ]),
  ...defineChecks('5.3', [
    {
      id: 'organization-header-accepted',
      level: 'must',
      requirement: 'X-Organization-Id with the organization of the token is honoured.',
      async run(target) {
        expect((await inOrganization(target, await target.organizationId())).status).toBe(200);
      },
    },
    {
      id: 'organization-header-unknown-403',
      level: 'must',
      requirement: 'An unknown organization gets 403 and the code organization_forbidden.',
      async run(target) {
        expectRefusal(await inOrganization(target, UNKNOWN), 403, 'organization_forbidden');
      },
    },
    {
      id: 'organization-header-malformed-403',
      level: 'should',
      requirement: 'An organization id that is not a UUID is answered like an unknown one.',
      async run(target) {
        expectRefusal(await inOrganization(target, 'mine'), 403, 'organization_forbidden');
      },
    },
    {
      id: 'organization-header-foreign-403',
      level: 'must',
      requirement: 'An organization that the user is not a member of is answered exactly like an unknown one.',
      needs: ['second-organization'],
      async run(target) {
        const foreign = await target.organizationId(target.secondToken);

        const answers = [await inOrganization(target, foreign), await inOrganization(target, UNKNOWN)];
        const [one, other] = answers.map(({ status, body: { requestId, ...body } }) => ({ status, body }));

        expect(one).toMatchObject({ status: 403, body: { code: 'organization_forbidden' } });
        expect(one).toEqual(other);
      },
    },
    {
      id: 'organization-header-for-writes',
      level: 'must',
      requirement: 'A write into an organization that the credential may not act in is rejected and stores nothing.',
      needs: ['second-organization'],
      async run(target) {
        const project = target.word();
        const foreign = await target.organizationId(target.secondToken);

        const answer = await target.ingest({ metadata: { project } }, { headers: { 'x-organization-id': foreign } });
        const there = await target.read('recent', { filter: { project } }, { token: target.secondToken });

        expectRefusal(answer, 403, 'organization_forbidden');
        expect(there.ids).toEqual([]);
      },
    },
    {
      id: 'organization-before-ability',
      level: 'should',
      requirement: 'The organization is checked before the ability, so that a token learns nothing about others.',
      needs: ['limited-tokens'],
      async run(target) {
        const token = await target.limitedToken('memory:admin');

        const answer = await target.read('recent', {}, { token, headers: { 'x-organization-id': UNKNOWN } });

        expectRefusal(answer, 403, 'organization_forbidden');
      },
    },
  ]),
];
