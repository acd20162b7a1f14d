import type { Reply, Route } from '../http/contract/route.js';
import type {
  DeleteMemoryData,
  DeleteMemoryResponses,
  IngestMemoryBatchData,
  IngestMemoryBatchResponses,
  IngestMemoryData,
  IngestMemoryResponses,
  UpdateMemoryAliasData,
  UpdateMemoryAliasResponses,
  UpdateMemoryData,
  UpdateMemoryResponses,
  UpsertMemoryData,
  UpsertMemoryResponses,
} from '../http/contract/wire.js';
import { toBatchItems } from '../http/request/batch-items.js';
import { isTrue } from '../http/request/boolean-input.js';
import { presentBatch, presentWritten } from '../http/response/present.js';
import { ingestBatch } from '../services/memories/batch.js';
import { deleteMemory as softDelete } from '../services/memories/delete.js';
import { ingest } from '../services/memories/ingest.js';
import { updateMemory as update } from '../services/memories/update.js';
import { upsert } from '../services/memories/upsert.js';

export const ingestMemory: Route<IngestMemoryData, IngestMemoryResponses> = async ({ caller, body }, deps) => {
  const written = await ingest(deps, caller, body);
  return { status: written.outcome === 'created' ? 201 : 200, body: presentWritten(written, deps) };
};

export const upsertMemory: Route<UpsertMemoryData, UpsertMemoryResponses> = async ({ caller, body }, deps) => {
  const written = await upsert(deps, caller, body);
  return { status: written.outcome === 'created' ? 201 : 200, body: presentWritten(written, deps) };
};

export const ingestMemoryBatch: Route<IngestMemoryBatchData, IngestMemoryBatchResponses, 'continueOnError'> = async (
  { caller, body },
  deps,
) => {
  const items = toBatchItems(deps.contract, body.items);
  const results = await ingestBatch(deps, caller, items, isTrue(body.continueOnError));
  return { status: 200, body: presentBatch(results, deps) };
};

export const updateMemory: Route<UpdateMemoryData, UpdateMemoryResponses, 'metadataReplace'> = async (
  { caller, path, body },
  deps,
) => {
  const written = await update(deps, caller, path.id, { ...body, metadataReplace: isTrue(body.metadataReplace) });
  return { status: 200, body: presentWritten(written, deps) };
};

export const updateMemoryAlias: Route<UpdateMemoryAliasData, UpdateMemoryAliasResponses, 'metadataReplace'> =
  updateMemory;

export const deleteMemory: Route<DeleteMemoryData, DeleteMemoryResponses> = async (
  { caller, path },
  deps,
): Promise<Reply<DeleteMemoryResponses>> => {
  await softDelete(deps, caller, path.id);
  return { status: 204 };
};
