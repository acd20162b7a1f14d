import type { ImportResponse } from '../generated/types.gen.js';
import type { MemoryRecord } from './record.js';
import { invalid, Refusal } from './refusal.js';
import type { MemoryTable } from './table.js';
import { assertBatchSize, assertFields, type Bounds, IMPORT_FIELDS, isObject, readItem } from './validate.js';
import type { VersionRecord } from './versions.js';

/** A validated memory to import. Times are in microseconds. */
export type Arrival = Pick<MemoryRecord, 'content' | 'metadata' | 'externalKey' | 'scope' | 'subjectKey' | 'distinct'> &
  Pick<MemoryRecord, 'deletedAt' | 'expiresAt'> & {
    id?: string;
    createdAt: number | undefined;
    updatedAt: number | undefined;
  };

const VERSION_FIELDS = ['memoryId', 'version', 'content', 'metadata', 'subjectKey', 'updatedAt', 'replacedAt'];
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const CLOCK_LEAD_MS = 1_000;

/** Stores the items one by one, like the service. @throws {Refusal} if the body is not an import */
export function importAll(table: MemoryTable, body: unknown, bounds: Bounds & { batchItems: number }): ImportResponse {
  assertFields(body, ['items']);
  const { items } = body;
  if (!Array.isArray(items) || items.length === 0) throw invalid('items', 'must be a list of items');
  assertBatchSize(items, bounds.batchItems);
  const results = items.map((item: unknown, index) => importOne(table, item, index, bounds));
  const failed = results.filter((result) => 'error' in result).length;
  return { results, summary: { ok: results.length - failed, failed } };
}

function importOne(
  table: MemoryTable,
  item: unknown,
  index: number,
  bounds: Bounds,
): ImportResponse['results'][number] {
  try {
    if (isObject(item) && 'memoryId' in item) {
      const version = readVersion(item, bounds);
      return { index, id: version.memoryId, outcome: table.importVersion(version) };
    }
    return { index, ...table.import(readArrival(item, bounds)) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { index, error: { code: String(error.body.code ?? 'not_found'), message: error.message } };
  }
}

function readArrival(item: unknown, bounds: Bounds): Arrival {
  assertFields(item, [...IMPORT_FIELDS, 'id', 'createdAt', 'updatedAt', 'deletedAt', 'distinct']);
  const { id, createdAt, updatedAt, deletedAt, expiresAt, distinct, ...given } = item;
  if (distinct !== undefined && distinct !== true) throw invalid('distinct', 'must be true');
  if (id !== undefined && !(typeof id === 'string' && UUID.test(id))) throw invalid('id', 'must be a UUID');
  const { metadata = {}, expiresAt: _, ...fields } = readItem({ ...given, ...withoutMirror(item) }, bounds);
  const times = {
    createdAt: readPast(createdAt, 'createdAt'),
    updatedAt: readPast(updatedAt, 'updatedAt'),
    deletedAt: readPast(deletedAt, 'deletedAt'),
  };
  if (times.deletedAt !== undefined && id === undefined) throw invalid('id', 'is required of a deleted memory');
  const order = [times.createdAt, times.deletedAt, times.updatedAt].filter((time) => time !== undefined);
  if (order.some((time, index) => index > 0 && time < (order[index - 1] ?? 0))) {
    throw invalid('updatedAt', 'must not be before the times of what happened earlier');
  }
  return {
    ...fields,
    metadata,
    scope: { source: fields.scope?.source ?? '', project: fields.scope?.project ?? '' },
    ...(typeof id === 'string' && { id }),
    ...times,
    ...(distinct === true && { distinct }),
    ...(expiresAt !== undefined && { expiresAt: readTime(expiresAt, 'expiresAt') }),
  };
}

function readVersion(item: Record<string, unknown>, bounds: Bounds): VersionRecord {
  assertFields(item, VERSION_FIELDS);
  const { memoryId, version, updatedAt, replacedAt, ...state } = item;
  if (typeof memoryId !== 'string') throw invalid('memoryId', 'must be a string');
  if (!Number.isSafeInteger(version) || Number(version) < 1) throw invalid('version', 'must be a positive integer');
  const { content, metadata = {}, subjectKey } = readItem(state, bounds);
  const times = { updatedAt: readTime(updatedAt, 'updatedAt'), replacedAt: readTime(replacedAt, 'replacedAt') };
  if (times.replacedAt <= times.updatedAt) throw invalid('replacedAt', 'must be after updatedAt');
  return { memoryId, version: Number(version), content, metadata, subjectKey, ...times };
}

/** Removes the keys that an export with SERVICE_METADATA_MIRROR repeats in the metadata. */
function withoutMirror({ metadata, externalKey, subjectKey }: Record<string, unknown>): { metadata?: unknown } {
  if (!isObject(metadata)) return metadata === undefined ? {} : { metadata };
  const isMirrored = ([name, value]: [string, unknown]) =>
    (name === 'externalKey' && value === externalKey) || (name === 'subjectKey' && value === subjectKey);
  return { metadata: Object.fromEntries(Object.entries(metadata).filter((entry) => !isMirrored(entry))) };
}

function readPast(value: unknown, path: string): number | undefined {
  if (value === undefined) return undefined;
  const time = readTime(value, path);
  if (time > (Date.now() + CLOCK_LEAD_MS) * 1_000) throw invalid(path, 'must not be in the future');
  return time;
}

/** Parses a time to microseconds. */
function readTime(value: unknown, path: string): number {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(ms)) throw invalid(path, 'must be an ISO 8601 time');
  const beyondMs = /\.\d{3}(\d{1,3})/.exec(String(value))?.[1] ?? '';
  return ms * 1_000 + Number(beyondMs.padEnd(3, '0'));
}
