import type { BatchInput, IngestRequest, UpdateRequest, UpsertRequest } from '@memory-service/sdk';
import { ADDS, defineTool, REPLACES } from './define.js';

export const memoryIngest = defineTool<IngestRequest>({
  name: 'memory_ingest',
  title: 'Store a memory',
  description:
    'Store one fact, decision or preference. Use it for what will matter later. Write one self-contained sentence with ' +
    'names and dates. A known fact is not stored twice.',
  operationId: 'ingestMemory',
  hints: ADDS,
  run: (client, memory, options) => client.ingest(memory, options),
});

export const memoryUpsert = defineTool<UpsertRequest>({
  name: 'memory_upsert',
  title: 'Store or replace a memory by key',
  description:
    'Keep one fact up to date under a key of yours: the first call stores it, a later one replaces its content. Use it for ' +
    'things that have an id elsewhere (a page, a ticket, a profile field).',
  operationId: 'upsertMemory',
  hints: REPLACES,
  run: (client, memory, options) => client.upsert(memory, options),
});

export const memoryIngestBatch = defineTool<BatchInput>({
  name: 'memory_ingest_batch',
  title: 'Store many memories',
  description:
    'Store many memories in one call, each with its own outcome; a rejected one does not stop the rest. Use it for more ' +
    'than two at a time, or for the chunks of a document.',
  operationId: 'ingestMemoryBatch',
  hints: REPLACES,
  run: (client, batch, options) => client.ingestBatch(batch, options),
});

export const memoryUpdate = defineTool<UpdateRequest & { id: string }>({
  name: 'memory_update',
  title: 'Change a memory',
  description:
    'Change the content, the metadata (merged unless metadataReplace) or the subject key of a memory. Use it when a memory ' +
    'is no longer right, with its id from a search.',
  operationId: 'updateMemory',
  hints: REPLACES,
  run: (client, { id, ...change }, options) => client.update(id, change, options),
});

export const memoryDelete = defineTool<{ id: string }>({
  name: 'memory_delete',
  title: 'Delete a memory',
  description:
    'Delete a memory by its id. Use it when one is wrong or the user asks to forget it; memory_restore undoes it.',
  operationId: 'deleteMemory',
  hints: REPLACES,
  output: { properties: { id: { type: 'string' }, deleted: { type: 'boolean' } } },
  run: async (client, { id }, options) => {
    await client.delete(id, options);
    return { id, deleted: true };
  },
});

export const memoryRestore = defineTool<{ id: string }>({
  name: 'memory_restore',
  title: 'Restore a memory',
  description: 'Restore a deleted memory. Use it to undo a delete, or if memory_upsert returned a deletedMemoryId.',
  operationId: 'restoreMemory',
  hints: ADDS,
  run: (client, { id }, options) => client.restore(id, options),
});
