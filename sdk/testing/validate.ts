import { upsertMemoryBounds } from '../generated/constants.gen.js';
import type { BatchItem, OrganizationSettings, SubjectKey, UpdateRequest } from '../generated/types.gen.js';
import { invalid, invalidSubjectKey, refused } from './refusal.js';

export type SubjectKeyType = OrganizationSettings['subjectKeyType'];

export interface Bounds {
  subjectKeyType: SubjectKeyType;
  contentLength: number;
}

/** Bounds and default of a `limit`. */
interface LimitBounds {
  readonly minimum: number;
  readonly maximum: number;
  readonly default: number;
}

const CHUNK_KEYS = ['documentId', 'chunkIndex', 'chunkTotal'];
const TOP_LEVEL_FIELDS = ['externalKey', 'subjectKey'];
/** Maximum length of an external key or `documentId`. */
const MAX_KEY_LENGTH = upsertMemoryBounds.externalKey.maxLength;

const UNCONFIGURED =
  'cannot be used until an owner sets subjectKeyType: memory settings update --subject-key-type string, or PATCH /api/organization/settings';

export const IMPORT_FIELDS = ['content', 'metadata', 'subjectKey', 'externalKey', 'scope', 'expiresAt'];
const INGEST_FIELDS = [...IMPORT_FIELDS, 'dedupe'];
const UPSERT_FIELDS = [...INGEST_FIELDS, 'restoreDeleted'];
export const UPDATE_FIELDS = ['content', 'metadata', 'metadataReplace', 'subjectKey', 'expiresAt'];

/** @throws {Refusal} if the body is not a JSON object or has other fields */
export function assertFields(
  body: unknown,
  allowed: readonly string[],
  path = '',
): asserts body is Record<string, unknown> {
  if (!isObject(body)) throw invalid(path, 'must be a JSON object');
  const unknown = Object.keys(body).find((name) => !allowed.includes(name));
  if (unknown !== undefined) throw invalid(path === '' ? unknown : `${path}.${unknown}`, 'is not a known field');
}

/** Validates an upsert or the item of a batch. @throws {Refusal} */
export function readUpsert(body: unknown, bounds: Bounds): BatchItem {
  assertFields(body, UPSERT_FIELDS);
  const { restoreDeleted, ...item } = body;
  if (restoreDeleted === undefined) return readItem(item, bounds);
  if (typeof restoreDeleted !== 'boolean') throw invalid('restoreDeleted', 'must be a boolean');
  if (restoreDeleted && item.externalKey === undefined) throw invalid('restoreDeleted', 'requires an externalKey');
  return { ...readItem(item, bounds), restoreDeleted };
}

/** Validates the item of a write. @throws {Refusal} */
export function readItem(body: unknown, bounds: Bounds): BatchItem {
  assertFields(body, INGEST_FIELDS);
  const { externalKey, scope, dedupe } = body;
  if (dedupe !== undefined && dedupe !== 'on' && dedupe !== 'off') throw invalid('dedupe', 'must be on or off');
  if (externalKey !== undefined) assertKey(externalKey, 'externalKey');
  if (scope !== undefined) assertFields(scope, ['source', 'project'], 'scope');
  if (body.expiresAt !== undefined) assertFuture(body.expiresAt);
  return {
    ...body,
    ...readSubjectKey(body, bounds),
    ...readMetadata(body),
    content: readContent(body.content, bounds),
  };
}

/** @throws {Refusal} */
export function readUpdate(body: unknown, bounds: Bounds): UpdateRequest {
  assertFields(body, UPDATE_FIELDS);
  const { content, metadata, subjectKey, expiresAt } = body;
  if ([content, metadata, subjectKey, expiresAt].every((given) => given === undefined)) {
    throw invalid('', 'must have at least one of content, metadata, subjectKey and expiresAt');
  }
  if (expiresAt !== undefined && expiresAt !== null) assertFuture(expiresAt);
  return {
    ...(expiresAt !== undefined && { expiresAt }),
    ...(content !== undefined && { content: readContent(content, bounds) }),
    ...readMetadata(body),
    ...readSubjectKey(body, bounds),
    metadataReplace: readBoolean(body.metadataReplace, 'metadataReplace', false),
  };
}

/** @throws {Refusal} */
export function readBoolean(value: unknown, path: string, fallback: boolean): boolean {
  if (value === undefined || value === null) return fallback;
  if ([true, 'true', '1'].includes(value as string)) return true;
  if ([false, 'false', '0'].includes(value as string)) return false;
  throw invalid(path, 'must be a boolean');
}

/** @throws {Refusal} if the number is out of bounds */
export function readLimit(value: unknown, { minimum, maximum, default: fallback }: LimitBounds): number {
  if (value === undefined || value === null) return fallback;
  const limit = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < minimum || limit > maximum) {
    throw invalid('limit', `must be an integer from ${minimum} to ${maximum}`);
  }
  return limit;
}

/** @throws {Refusal} 422 `subject_key_invalid` */
export function assertSubjectKey(value: unknown, path: string, type: SubjectKeyType): asserts value is SubjectKey {
  if (type === null) throw invalidSubjectKey(path, UNCONFIGURED);
  const isRight = type === 'integer' ? Number.isSafeInteger(value) : typeof value === 'string' && value !== '';
  const wanted = type === 'integer' ? 'an integer' : 'a string';
  if (!isRight) throw invalidSubjectKey(path, `must be ${wanted}, as configured for the organization`);
}

/** @throws {Refusal} if it is not a time in the future */
function assertFuture(value: unknown): asserts value is string {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  if (!(at > Date.now())) throw invalid('expiresAt', 'must be a time in the future');
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readContent(value: unknown, { contentLength }: Bounds): string {
  if (typeof value !== 'string') throw invalid('content', 'must be a string');
  const content = value.normalize('NFC');
  if (content.trim() === '') throw invalid('content', 'must not be blank');
  if (!content.isWellFormed() || content.includes('\u0000')) throw invalid('content', 'must be storable text');
  if (Array.from(content).length > contentLength)
    throw invalid('content', `must be at most ${contentLength} characters`);
  return content;
}

function readMetadata({ metadata }: Record<string, unknown>): { metadata?: Record<string, unknown> } {
  if (metadata === undefined) return {};
  if (!isObject(metadata)) throw invalid('metadata', 'must be a JSON object');
  const field = TOP_LEVEL_FIELDS.find((name) => Object.hasOwn(metadata, name));
  if (field !== undefined) throw invalid(`metadata.${field}`, 'is not metadata');
  assertExact(metadata, 'metadata');
  assertChunk(metadata);
  return { metadata: structuredClone(metadata) };
}

/** @throws {Refusal} if JSON would round a number */
export function assertExact(value: unknown, path: string): void {
  if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER) {
    throw invalid(path, 'must be within ±9007199254740991');
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [key, child] of Object.entries(value)) assertExact(child, `${path}.${key}`);
}

function assertChunk(metadata: Record<string, unknown>): void {
  const missing = CHUNK_KEYS.filter((key) => !Object.hasOwn(metadata, key));
  if (missing.length === CHUNK_KEYS.length) return;
  if (missing[0] !== undefined) throw invalid(`metadata.${missing[0]}`, 'is required');
  const { documentId, chunkIndex, chunkTotal } = metadata;
  assertKey(documentId, 'metadata.documentId');
  if (!Number.isSafeInteger(chunkTotal) || Number(chunkTotal) < 1) throw invalid('metadata.chunkTotal', 'is wrong');
  if (!Number.isSafeInteger(chunkIndex) || Number(chunkIndex) < 0 || Number(chunkIndex) >= Number(chunkTotal)) {
    throw invalid('metadata.chunkIndex', 'must be from 0 up to, not including, chunkTotal');
  }
}

function readSubjectKey(body: Record<string, unknown>, { subjectKeyType }: Bounds): { subjectKey?: SubjectKey } {
  const { subjectKey } = body;
  if (subjectKey === undefined) return {};
  assertSubjectKey(subjectKey, 'subjectKey', subjectKeyType);
  return { subjectKey };
}

function assertKey(value: unknown, path: string): void {
  if (typeof value === 'string' && value !== '' && Array.from(value).length <= MAX_KEY_LENGTH) return;
  throw invalid(path, `must be a string of 1 to ${MAX_KEY_LENGTH} characters`);
}

/** @throws {Refusal} 413 */
export function assertBatchSize(items: readonly unknown[], max: number): void {
  if (items.length > max) throw refused(413, 'batch_too_large', `a batch holds at most ${max} items`, { max });
}
