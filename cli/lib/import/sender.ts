import type { BatchItem, BatchResponse, ImportItem, ImportResponse, MemoryClient } from '@memory-service/sdk';

/** A memory to import: a new one, or one with its original id and times. */
export type Item = Omit<BatchItem, 'dedupe' | 'restoreDeleted'> & Omit<ImportItem, keyof BatchItem>;

export type Result = BatchResponse['results'][number] | ImportResponse['results'][number];

/** Sends a batch and returns one result per item, in the same order. */
export interface Sender {
  send(items: readonly Item[]): Promise<Result[]>;
}

const CONFLICTS = ['content_conflict', 'external_key_conflict'];

/**
 * Creates a sender. It imports items with a time of creation and ingests the others. If an imported item conflicts by key,
 * it updates the existing memory, like an item without a time.
 *
 * @param keepsIds true for items of an archive, which never change existing memories
 * @param onWithoutTimes called when the token may not import; from then on, times are omitted
 */
export function senderOf(
  client: Pick<MemoryClient, 'ingestBatch' | 'importMemories'>,
  keepsIds: boolean,
  onWithoutTimes: () => void,
): Sender {
  let mayImport = true;
  const ingest = async (items: readonly Item[]) =>
    (await client.ingestBatch({ items: items.map(withoutTimes) })).results;
  const bringIn = async (items: readonly Item[]): Promise<Result[]> => {
    const { results } = await client.importMemories({ items: [...items] });
    const changed = items.filter((item, index) => item.externalKey !== undefined && isConflict(results[index]));
    if (keepsIds || changed.length === 0) return results;
    const updates = (await ingest(changed)).values();
    return results.map((result, index) => {
      const update = changed.includes(items[index] as Item) ? updates.next().value : undefined;
      return update ? { ...update, index } : result;
    });
  };
  const sendAll = async (items: readonly Item[]): Promise<Result[]> => {
    if (keepsIds) return bringIn(items);
    if (!mayImport || items.every(({ createdAt }) => createdAt === undefined)) return ingest(items);
    try {
      return await bringIn(items);
    } catch (error) {
      if ((error as { code?: string }).code !== 'ability_denied') throw error;
      mayImport = false;
      onWithoutTimes();
      return ingest(items);
    }
  };
  return { send: sendAll };
}

function isConflict(result: Result | undefined): boolean {
  return result !== undefined && 'error' in result && CONFLICTS.includes(result.error.code);
}

function withoutTimes({ content, metadata, externalKey, scope, subjectKey, distinct }: Item): BatchItem {
  return {
    content,
    ...(metadata !== undefined && { metadata }),
    ...(externalKey !== undefined && { externalKey }),
    ...(scope !== undefined && { scope }),
    ...(subjectKey !== undefined && { subjectKey }),
    ...(distinct && { dedupe: 'off' }),
  };
}
