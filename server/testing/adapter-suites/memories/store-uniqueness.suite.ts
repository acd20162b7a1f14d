import { describe, expect, test } from 'vitest';
import { DuplicateMemoryError } from '../../../ports/store-errors.js';
import { anOrganization, change, indexedBy, softDelete, store } from '../../fixtures/memories.js';
import type { StoreOpening } from '../store.suite.js';

/** Tests that no two active memories of a place have the same content or key. */
export function uniquenessSuite(name: string, { openEmpty }: StoreOpening): void {
  describe(`${name}: uniqueness`, () => {
    test('rejects a second active memory of a subject with the same content', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      await store(tested, organizationId, { content: 'same', subjectKey: 1 });

      await expect(store(tested, organizationId, { content: 'same', subjectKey: 1 })).rejects.toThrow(
        DuplicateMemoryError,
      );
      await expect(store(tested, organizationId, { content: 'same', subjectKey: 2 })).resolves.toHaveLength(1);
      await expect(store(tested, organizationId, { content: 'same' })).resolves.toHaveLength(1);
      await expect(store(tested, organizationId, { content: 'same' })).rejects.toThrow(DuplicateMemoryError);
    });

    test('rejects a second active memory with the same key, treating absent parts of the scope as equal', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const keyed = (source: string, project: string) => ({ externalKey: 'k', scope: { source, project } });

      await store(tested, organizationId, keyed('', ''), keyed('s', ''), keyed('', 's'), keyed('s', 'p'), {}, {});

      for (const again of [keyed('', ''), keyed('s', ''), keyed('', 's'), keyed('s', 'p')]) {
        await expect(store(tested, organizationId, again)).rejects.toThrow(DuplicateMemoryError);
      }
    });

    test('accepts the same content in several chunks, and rejects it twice in one', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const chunk = (documentId: string, chunkIndex: number, chunkTotal = 3) => ({
        content: 'same',
        metadata: { documentId, chunkIndex, chunkTotal },
      });
      const [first] = await store(tested, organizationId, chunk('d', 0), chunk('d', 1), chunk('e', 0), {
        content: 'same',
        metadata: { documentId: 'd' },
      });

      for (const again of [chunk('d', 0), chunk('d', 1, 9), chunk('e', 0), { content: 'same' }]) {
        await expect(store(tested, organizationId, again)).rejects.toThrow(DuplicateMemoryError);
      }
      await expect(change(tested, first!, chunk('d', 1))).rejects.toThrow(DuplicateMemoryError);
      await expect(change(tested, first!, { metadata: {} })).rejects.toThrow(DuplicateMemoryError);
      await change(tested, first!, chunk('d', 2));
      await expect(store(tested, organizationId, chunk('d', 0))).resolves.toHaveLength(1);
    });

    test('rejects an update that would make two memories the same', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const [, memory] = await store(tested, organizationId, { content: 'taken' }, { content: 'mine' });

      const changing = change(tested, memory!, { content: 'taken' }, indexedBy(memory!).embedding);

      await expect(changing).rejects.toThrow(DuplicateMemoryError);
      expect(await tested.memories.findById(organizationId, memory!.id)).toEqual(memory);
    });

    test('counts active memories of its own organization only', async () => {
      const tested = await openEmpty();
      const [own, other] = [await anOrganization(tested), await anOrganization(tested)];
      const same = { content: 'same', externalKey: 'k' };
      const [memory] = await store(tested, own, same);
      await store(tested, other, same);
      await softDelete(tested, memory!);

      const [again] = await store(tested, own, same);

      expect(await tested.memories.findById(own, again!.id)).toEqual(again);
      const deletedTwice = await softDelete(tested, again!);
      expect(await tested.memories.findById(own, again!.id)).toEqual(deletedTwice);
    });

    test('rejects a second memory with the same id', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);
      const [memory] = await store(tested, organizationId, {});

      await expect(store(tested, organizationId, { id: memory!.id })).rejects.toThrow(DuplicateMemoryError);
    });

    test('accepts one of many equal writes at the same time', async () => {
      const tested = await openEmpty();
      const organizationId = await anOrganization(tested);

      const writing = Array.from({ length: 32 }, () => store(tested, organizationId, { content: 'same' }));
      const outcomes = await Promise.allSettled(writing);

      const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
      expect(refused).toHaveLength(31);
      for (const { reason } of refused) expect(reason).toBeInstanceOf(DuplicateMemoryError);
    });
  });
}
