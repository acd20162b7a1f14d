import { expect } from 'vitest';
import type { Target } from '../../world/target.js';
import { type Check, defineChecks } from '../check.js';
import { expectRefusal } from '../matchers.js';

const PROJECT = 'x-memory-project';

/** Stores one memory in each of two projects, and returns the id of the second and the names. */
async function twoProjects(target: Target) {
  const [own, other] = [target.word(), target.word()];
  const inside = await target.stored({ metadata: { project: own } });
  const outside = await target.stored({ metadata: { project: other } });
  return { own, inside, outside };
}

/** Writes and tools that their headers bind to one project. */
export const boundConnectionChecks: readonly Check[] = [
  ...defineChecks('4.1', [
    {
      id: 'bound-write-changes-no-other-project',
      level: 'should',
      requirement: 'A write that a header binds to a project gets 409 if a memory of another one has its content.',
      async run(target) {
        const { own, outside } = await twoProjects(target);
        const { id, content } = outside;

        const answer = await target.ingest({ content, metadata: { project: own } }, { headers: { [PROJECT]: own } });

        expectRefusal(answer, 409, 'content_conflict');
        expect((await target.get(id)).body.metadata).toEqual(outside.metadata);
      },
    },
  ]),
  ...defineChecks('4.13', [
    {
      id: 'tools-bound-reads',
      level: 'should',
      requirement: 'A connection of tools that a header binds to a project reads only its memories.',
      needs: ['mcp'],
      async run(target) {
        const { own, inside, outside } = await twoProjects(target);
        const caller = { token: target.token, headers: { [PROJECT]: own } };

        const recent = await target.tools.call(caller, 'memory_recent', {});
        const found = await target.tools.call(caller, 'memory_search', { query: outside.content });
        const got = await target.tools.call(caller, 'memory_get', { id: outside.id });

        expect(recent.data.results).toMatchObject([{ id: inside.id }]);
        expect(JSON.stringify(found.data)).not.toContain(outside.id);
        expect(got).toMatchObject({ isError: true, data: { error: 'Not found' } });
      },
    },
    {
      id: 'tools-bound-writes',
      level: 'should',
      requirement: 'A connection of tools that a header binds to a project writes only there.',
      needs: ['mcp'],
      async run(target) {
        const { own, outside } = await twoProjects(target);
        const caller = { token: target.token, headers: { [PROJECT]: own } };

        const written = await target.tools.call(caller, 'memory_ingest', { ...target.fields() });
        const deleted = await target.tools.call(caller, 'memory_delete', { id: outside.id });

        expect(written.data.metadata).toMatchObject({ project: own });
        expect(deleted).toMatchObject({ isError: true, data: { error: 'Not found' } });
        expect((await target.get(outside.id)).status).toBe(200);
      },
    },
    {
      id: 'tools-bound-arguments',
      level: 'should',
      requirement: 'An argument of a bound connection with another project is rejected.',
      needs: ['mcp'],
      async run(target) {
        const caller = { token: target.token, headers: { [PROJECT]: target.word() } };
        const project = target.word();

        for (const [name, given] of [
          ['memory_recent', { filter: { project } }],
          ['memory_ingest', { ...target.fields(), metadata: { project } }],
        ] as const) {
          const { isError, data } = await target.tools.call(caller, name, given);
          expect({ isError, code: data.code }, name).toEqual({ isError: true, code: 'validation_failed' });
        }
      },
    },
  ]),
];
