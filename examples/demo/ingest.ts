import type { BatchItem, MemoryClient } from '@memory-service/sdk';

/** The outcomes of the sent items. */
export interface Tally {
  created: number;
  deduplicated: number;
  merged: number;
}

export interface IngestOptions {
  /** Called after each batch with the number of its items. */
  onProgress?: (items: number) => void;
  signal: AbortSignal;
}

/** The maximum size of a batch by default. */
export const BATCH_ITEMS = 50;
const IN_FLIGHT = 4;

/**
 * Stores the items in batches, with a few requests in parallel.
 *
 * @throws {Error} if the service rejects an item
 */
export async function ingestAll(
  client: MemoryClient,
  items: readonly BatchItem[],
  { onProgress, signal }: IngestOptions,
): Promise<Tally> {
  const tally: Tally = { created: 0, deduplicated: 0, merged: 0 };
  const batches = inBatches(items);
  const work = async (): Promise<void> => {
    for (let batch = batches.shift(); batch; batch = batches.shift()) {
      const { results } = await client.ingestBatch({ items: batch }, { signal });
      for (const result of results) {
        if ('error' in result) throw refused(batch[result.index], result.error);
        tally[COUNTED_AS[result.outcome]] += 1;
      }
      onProgress?.(batch.length);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, work));
  return tally;
}

function inBatches(items: readonly BatchItem[]): BatchItem[][] {
  const count = Math.ceil(items.length / BATCH_ITEMS);
  return Array.from({ length: count }, (_, at) => items.slice(at * BATCH_ITEMS, (at + 1) * BATCH_ITEMS));
}

const COUNTED_AS = {
  created: 'created',
  updated: 'created',
  deduplicated: 'deduplicated',
  merged_metadata: 'merged',
} as const;

function refused(item: BatchItem | undefined, { code, message }: { code: string; message: string }): Error {
  return new Error(`The service rejected a chunk of ${item?.metadata?.documentId}: ${code}: ${message}`);
}
