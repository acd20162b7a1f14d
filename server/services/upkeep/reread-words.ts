import type { Deps } from '../../deps.js';
import { NO_FILTER } from '../../domain/filter/filter.js';
import type { Memory } from '../../domain/memory/memory.js';
import { termsOf } from '../../domain/retrieval/keyword-terms.js';
import { hasSegments } from '../../domain/retrieval/segments.js';
import { entries } from './entries.js';

const WRITTEN_TOGETHER = 32;

/**
 * Indexes the words of memories again that an earlier release indexed whole: texts of scripts without spaces, and
 * pictographs. Nothing else of a memory changes. Running it again changes nothing.
 *
 * @returns how many memories have such words
 */
export async function rereadWords({ store }: Pick<Deps, 'store'>, organizationId: string): Promise<number> {
  let done = 0;
  let page: Memory[] = [];
  const write = async () => {
    const memories = page;
    page = [];
    await store.transact(organizationId, async (unit) => {
      await unit.expect?.({ ids: memories.map(({ id }) => id) });
      for (const { id, content } of memories) {
        // Changed content was indexed with the change.
        if ((await unit.findById(id))?.content === content) await unit.replaceTerms(id, termsOf(content));
      }
    });
    done += memories.length;
  };
  const all = entries<Memory>(
    (query) =>
      store.memories.list(organizationId, { filter: NO_FILTER, includeDeleted: true, order: 'oldest', ...query }),
    ({ createdAt, id }) => ({ at: createdAt, id }),
  );
  for await (const memory of all) {
    if (hasSegments(memory.content)) page.push(memory);
    if (page.length === WRITTEN_TOGETHER) await write();
  }
  if (page.length > 0) await write();
  return done;
}
