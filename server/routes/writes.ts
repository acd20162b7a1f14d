import type { Reply, Route } from '../http/contract/route.js';
import type {
  DeleteMemoriesData,
  DeleteMemoriesResponses,
  DeleteMemoryData,
  DeleteMemoryResponses,
  ImportMemoriesData,
  ImportMemoriesResponses,
  IngestMemoryBatchData,
  IngestMemoryBatchResponses,
  IngestMemoryData,
  IngestMemoryResponses,
  PurgeMemoryData,
  PurgeMemoryResponses,
  RestoreMemoryData,
  RestoreMemoryResponses,
  UpdateMemoryAliasData,
  UpdateMemoryAliasResponses,
  UpdateMemoryData,
  UpdateMemoryResponses,
  UpsertMemoryData,
  UpsertMemoryResponses,
} from '../http/contract/wire.js';
import { toBatchItems, toImportItems } from '../http/request/body/batch-items.js';
import { isTrue } from '../http/request/body/boolean-input.js';
import { presentBatch, presentImport, presentMemory, presentWritten } from '../http/response/present.js';
import * as deletion from '../services/removal/delete.js';
import * as deletions from '../services/removal/delete-many.js';
import * as purges from '../services/removal/purge.js';
import * as restoration from '../services/removal/restore.js';
import * as batches from '../services/writing/batch.js';
import * as imports from '../services/writing/import.js';
import * as ingestion from '../services/writing/ingest.js';
import * as updates from '../services/writing/update.js';
import * as upserts from '../services/writing/upsert.js';

export const ingestMemory: Route<IngestMemoryData, IngestMemoryResponses> = async ({ caller, body }, deps) => {
  const written = await ingestion.ingest(deps, caller, body);
  return { status: written.outcome === 'created' ? 201 : 200, body: presentWritten(written, deps) };
};

export const upsertMemory: Route<UpsertMemoryData, UpsertMemoryResponses> = async ({ caller, body }, deps) => {
  const written = await upserts.upsert(deps, caller, body);
  return { status: written.outcome === 'created' ? 201 : 200, body: presentWritten(written, deps) };
};

export const ingestMemoryBatch: Route<IngestMemoryBatchData, IngestMemoryBatchResponses, 'continueOnError'> = async (
  { caller, body },
  deps,
) => {
  const items = toBatchItems(deps.contract, body.items);
  const results = await batches.ingestBatch(deps, caller, items, isTrue(body.continueOnError));
  return { status: 200, body: presentBatch(results, deps) };
};

export const importMemories: Route<ImportMemoriesData, ImportMemoriesResponses> = async ({ caller, body }, deps) => {
  const results = await imports.importMemories(deps, caller, toImportItems(deps.contract, body.items));
  return { status: 200, body: presentImport(results) };
};

export const updateMemory: Route<UpdateMemoryData, UpdateMemoryResponses, 'metadataReplace'> = async (
  { caller, path, body },
  deps,
) => {
  const written = await updates.updateMemory(deps, caller, path.id, {
    ...body,
    metadataReplace: isTrue(body.metadataReplace),
  });
  return { status: 200, body: presentWritten(written, deps) };
};

export const updateMemoryAlias: Route<UpdateMemoryAliasData, UpdateMemoryAliasResponses, 'metadataReplace'> =
  updateMemory;

export const deleteMemory: Route<DeleteMemoryData, DeleteMemoryResponses> = async (
  { caller, path },
  deps,
): Promise<Reply<DeleteMemoryResponses>> => {
  await deletion.deleteMemory(deps, caller, path.id);
  return { status: 204 };
};

export const restoreMemory: Route<RestoreMemoryData, RestoreMemoryResponses> = async ({ caller, path }, deps) => {
  const memory = await restoration.restoreMemory(deps, caller, path.id);
  return { status: 200, body: presentMemory(memory, deps) };
};

export const purgeMemory: Route<PurgeMemoryData, PurgeMemoryResponses> = async (
  { caller, path },
  deps,
): Promise<Reply<PurgeMemoryResponses>> => {
  await purges.purgeMemory(deps, caller, path.id);
  return { status: 204 };
};

export const deleteMemories: Route<DeleteMemoriesData, DeleteMemoriesResponses> = async ({ caller, body }, deps) => {
  return { status: 200, body: await deletions.deleteMany(deps, caller, body) };
};
