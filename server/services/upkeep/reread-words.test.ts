import { expect, test } from 'vitest';
import { NO_FILTER } from '../../domain/filter/filter.js';
import { testWorld } from '../../testing/app/test-deps.js';
import { ingest } from '../writing/ingest.js';
import { rereadWords } from './reread-words.js';

test('words that an earlier release indexed whole are found as that did before, and by their parts afterwards', async () => {
  const { deps, caller } = await testWorld();
  const { organizationId } = caller;
  const contents = ['上海办公室在静安区南京西路', 'ship it 🚢', ...Array.from({ length: 40 }, (_, n) => `倉庫${n}`)];
  const [office, ship] = await Promise.all(contents.map((content) => ingest(deps, caller, { content })));
  await ingest(deps, caller, { content: 'plain words' });
  await deps.store.transact(organizationId, async (unit) => {
    await unit.replaceTerms(office!.memory.id, ['上海办公室在静安区南京西路']);
    await unit.replaceTerms(ship!.memory.id, ['ship', 'it']);
  });
  const found = async (text: string) => {
    const query = { filter: NO_FILTER, includeDeleted: false, text, limit: 9 };
    return (await deps.store.memories.matching(organizationId, query)).matches.map(({ memory }) => memory.content);
  };
  expect(await found('上海办公室在静安区南京西路')).toEqual([contents[0]]);
  expect(await found('南京西路')).toEqual([]);

  expect(await rereadWords(deps, organizationId)).toBe(42);

  expect(await found('上海办公室在静安区南京西路')).toEqual([contents[0]]);
  expect(await found('南京西路')).toEqual([contents[0]]);
  expect(await found('🚢')).toEqual([contents[1]]);
  expect(await found('words')).toEqual(['plain words']);
});
