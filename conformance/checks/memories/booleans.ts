import { expect } from 'vitest';
import type { Read } from '../../world/memory-requests.js';
import { type Check, defineChecks } from '../check.js';
import { expectRefusal } from '../matchers.js';

const TRUE = [true, 'true', '1'];
const FALSE = [false, 'false', '0'];
const NEITHER = ['yes', 'TRUE', '2', '', 'null'];
/** JSON values that are not strings. */
const NEITHER_IN_JSON = [...NEITHER, 1, 0, null, []];

function inQuery(read: Read): Omit<Check, 'section'> {
  return {
    id: `boolean-include-deleted-${read}`,
    level: 'must',
    requirement: `includeDeleted of ${read} takes true, false, 1 and 0, and nothing else.`,
    async run(target) {
      const project = target.word();
      await target.deleted({ metadata: { project } });
      const filter = { project };
      const count = async (includeDeleted: unknown) => {
        const answer = await target.read(read, { filter, includeDeleted });
        return read === 'stats' ? (answer.body.meta as { filtered: number }).filtered : answer.memories.length;
      };

      for (const value of TRUE) expect(await count(value), String(value)).toBe(1);
      for (const value of FALSE) expect(await count(value), String(value)).toBe(0);
      for (const includeDeleted of NEITHER) {
        expectRefusal(await target.read(read, { filter, includeDeleted }), 422);
      }
    },
  };
}

/** The values that count as a boolean (head of section 4). */
export const booleanChecks = defineChecks('4', [
  ...(['recent', 'export', 'stats', 'changes'] as const).map(inQuery),
  {
    id: 'boolean-include-deleted-search',
    level: 'must',
    requirement: 'includeDeleted of search takes booleans and the texts true, false, 1 and 0, and nothing else.',
    async run(target) {
      const project = target.word();
      await target.deleted({ metadata: { project } });
      const search = (includeDeleted: unknown) =>
        target.search({ query: 'memory', filter: { project }, includeDeleted });

      for (const value of TRUE) expect((await search(value)).memories, String(value)).toHaveLength(1);
      for (const value of FALSE) expect((await search(value)).memories, String(value)).toHaveLength(0);
      for (const value of NEITHER_IN_JSON) expectRefusal(await search(value), 422);
    },
  },
  {
    id: 'boolean-continue-on-error',
    level: 'must',
    requirement: 'continueOnError takes booleans and the texts true, false, 1 and 0, and nothing else.',
    async run(target) {
      const tried = async (continueOnError: unknown) =>
        (await target.batch([{ content: 1 }, { content: 2 }], { continueOnError })).memories.length;

      for (const value of TRUE) expect(await tried(value), String(value)).toBe(2);
      for (const value of FALSE) expect(await tried(value), String(value)).toBe(1);
      for (const continueOnError of NEITHER_IN_JSON) {
        expectRefusal(await target.batch([{ content: 1 }], { continueOnError }), 422);
      }
    },
  },
  {
    id: 'boolean-metadata-replace',
    level: 'must',
    requirement: 'metadataReplace takes booleans and the texts true, false, 1 and 0, and nothing else.',
    async run(target) {
      const { id } = await target.stored();
      const keys = async (metadataReplace: unknown) => {
        await target.patch(id, { metadata: target.tagged({ old: 1 }) });
        const answer = await target.patch(id, { metadata: target.tagged({ new: 1 }), metadataReplace });
        return Object.keys(answer.memory.metadata);
      };

      for (const value of TRUE) expect(await keys(value), String(value)).not.toContain('old');
      for (const value of FALSE) expect(await keys(value), String(value)).toContain('old');
      for (const metadataReplace of NEITHER_IN_JSON) {
        expectRefusal(await target.patch(id, { metadata: {}, metadataReplace }), 422);
      }
    },
  },
]);
