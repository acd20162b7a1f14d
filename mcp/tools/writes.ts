import type { BatchInput, IngestRequest, UpdateRequest, UpsertRequest } from '@memory-service/sdk';
import { ADDS, defineTool, REPLACES } from './define.js';
import { batchText, deletedText, restoredText, writtenText } from './texts.js';

const WRITTEN = { id: { type: 'string' }, outcome: { type: 'string' } };

export const memoryIngest = defineTool<IngestRequest>({
  name: 'memory_ingest',
  title: 'Store a memory',
  description:
    'Store a fact, decision or preference. Use it for what will matter later; a known fact is not stored twice.',
  operationId: 'ingestMemory',
  hints: ADDS,
  binds: 'memory',
  output: WRITTEN,
  run: (client, memory, options) => client.ingest(memory, options),
  text: writtenText,
});

export const memoryUpsert = defineTool<UpsertRequest>({
  name: 'memory_upsert',
  title: 'Store or replace a memory by key',
  description:
    'Store a fact under a key, or replace the one under it. Use it for what has one value at a time: a setting, a ' +
    'status, a page.',
  operationId: 'upsertMemory',
  hints: REPLACES,
  binds: 'memory',
  output: WRITTEN,
  run: (client, memory, options) => client.upsert(memory, options),
  text: writtenText,
});

export const memoryIngestBatch = defineTool<BatchInput>({
  name: 'memory_ingest_batch',
  title: 'Store many memories',
  description: 'Store many memories in one call, each with its own outcome. Use it for more than two.',
  operationId: 'ingestMemoryBatch',
  hints: REPLACES,
  binds: 'items',
  output: { results: { type: 'array' }, summary: { type: 'object' } },
  run: (client, batch, options) => client.ingestBatch(batch, options),
  text: batchText,
});

export const memoryUpdate = defineTool<UpdateRequest & { id: string }>({
  name: 'memory_update',
  title: 'Change a memory',
  description: 'Correct a memory; what you leave out stays as it is. Use it when a stored fact has changed.',
  operationId: 'updateMemory',
  hints: REPLACES,
  binds: 'change',
  output: WRITTEN,
  run: (client, { id, ...change }, options) => client.update(id, change, options),
  text: writtenText,
});

export const memoryDelete = defineTool<{ id: string }>({
  name: 'memory_delete',
  title: 'Delete a memory',
  description: 'Delete a memory; memory_restore undoes it. Use it when one is wrong or the user asks to forget it.',
  operationId: 'deleteMemory',
  hints: REPLACES,
  binds: 'id',
  output: { id: { type: 'string' }, deleted: { type: 'boolean' } },
  run: async (client, { id }, options) => {
    await client.delete(id, options);
    return { id, deleted: true };
  },
  text: deletedText,
});

export const memoryRestore = defineTool<{ id: string }>({
  name: 'memory_restore',
  title: 'Restore a memory',
  description: 'Bring back a deleted memory. Use it to undo memory_delete.',
  operationId: 'restoreMemory',
  hints: ADDS,
  binds: 'id',
  output: { id: { type: 'string' } },
  run: (client, { id }, options) => client.restore(id, options),
  text: restoredText,
});
