import type { BatchItem, BatchResponse, ImportItem, ImportResponse, MemoryClient } from '@memory-service/sdk';

/** Something to import: new, or with what it was elsewhere. */
export type Item = BatchItem & Omit<ImportItem, keyof BatchItem>;

export type Result = BatchResponse['results'][number] | ImportResponse['results'][number];

/** Sends a batch; a result for each item, in their order. */
export interface Sender {
  send(items: readonly Item[]): Promise<Result[]>;
}

const CONFLICTS = ['content_conflict', 'external_key_conflict'];

/**
 * Sends items with a time of creation as memories that were elsewhere, and the others as new ones. A keyed one whose
 * memory has other content by now brings that up to date, as it would without its time.
 *
 * @param keepsIds whether items are those of an archive, which change nothing that is there
 * @param onWithoutTimes told when the token may not import, and times are left out from then on
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

function withoutTimes({ content, metadata, externalKey, scope, subjectKey }: Item): BatchItem {
  return {
    content,
    ...(metadata !== undefined && { metadata }),
    ...(externalKey !== undefined && { externalKey }),
    ...(scope !== undefined && { scope }),
    ...(subjectKey !== undefined && { subjectKey }),
  };
}
