import type { BatchFailure, BatchResponse, BatchSuccess, WrittenMemory } from '../generated/types.gen.js';
import { presentMemory } from './record.js';
import { invalid, Refusal } from './refusal.js';
import type { MemoryTable, Written } from './table.js';
import { assertBatchSize, assertFields, type Bounds, readBoolean, readUpsert } from './validate.js';
import type { Within } from './within.js';

/** Writes the items one by one, like the service. @throws {Refusal} if the body is not a batch */
export function batch(
  table: MemoryTable,
  body: unknown,
  bounds: Bounds & { batchItems: number },
  within: Within,
): BatchResponse {
  assertFields(body, ['items', 'continueOnError']);
  const { items } = body;
  if (!Array.isArray(items) || items.length === 0) throw invalid('items', 'must be a list of items');
  assertBatchSize(items, bounds.batchItems);
  const continueOnError = readBoolean(body.continueOnError, 'continueOnError', true);
  const results: (BatchSuccess | BatchFailure)[] = [];
  for (const [index, item] of items.entries()) {
    const result = writeItem(table, item, index, { bounds, within });
    results.push(result);
    if ('error' in result && !continueOnError) break;
  }
  const failed = results.filter((result) => 'error' in result).length;
  return { results, summary: { ok: results.length - failed, failed } };
}

export function presentWritten({ record, outcome, dedupe }: Written): WrittenMemory {
  return { ...presentMemory(record), outcome, ...(dedupe !== undefined && { dedupe }) };
}

function writeItem(
  table: MemoryTable,
  body: unknown,
  index: number,
  { bounds, within }: { bounds: Bounds; within: Within },
): BatchSuccess | BatchFailure {
  try {
    const item = readUpsert(body, bounds);
    const done = item.externalKey === undefined ? table.ingest(item, within) : table.upsert(item, within);
    return { index, ...presentWritten(done) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const deletedMemoryId = error.headers['X-Deleted-Memory-Id'];
    const named = deletedMemoryId !== undefined && { deletedMemoryId };
    return { index, error: { code: String(error.body.code ?? 'not_found'), message: error.message, ...named } };
  }
}
